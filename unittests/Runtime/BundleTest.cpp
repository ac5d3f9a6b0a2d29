//===- BundleTest.cpp - Bundles, sound and damaged ------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <cstdio>
#include <fstream>
#include <random>

using nlohmann::json;

static mla::schedule::StoredTables storedTables() {
  mla::schedule::StoredTables stored;
  stored.lengths = {{0, 1, 2}, {0, 30, 31}, {2, 4}, 4};
  stored.config = {.heads = 20, .workgroups = 512, .tileRows = 32};
  std::string error;
  stored.tables =
      *mla::schedule::makeTables(stored.lengths, stored.config, error);
  return stored;
}

/// Reads and checks; "" when it is sound.
static std::string errorOf(const std::vector<uint8_t> &bytes) {
  // Memory of just that size, so that a checker sees any read past its end.
  std::vector<uint8_t> copy(bytes.begin(), bytes.end());
  mla_bundle *bundle = nullptr;
  mla_status status =
      mla_bundle_load_memory(nullptr, copy.data(), copy.size(), &bundle);
  mla_bundle_unload(bundle);
  if (status == MLA_OK)
    return "";
  EXPECT_EQ(status, MLA_ERROR_BUNDLE);
  return mla_last_error();
}

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(Bundle, AnswersQuestionsWithoutADevice) {
  TestBundle source("dynamic");
  source.tables.push_back(storedTables());
  std::vector<uint8_t> bytes = source.write();
  mla_bundle *bundle = nullptr;
  ASSERT_EQ(
      mla_bundle_load_memory(nullptr, bytes.data(), bytes.size(), &bundle),
      MLA_OK)
      << mla_last_error();
  mla_problem problem = mla_bundle_problem(bundle);
  EXPECT_STREQ(problem.producer, "a test");
  EXPECT_STREQ(problem.chip, "gfx950");
  EXPECT_EQ(problem.heads, 20);
  EXPECT_EQ(problem.latent, 512);
  EXPECT_EQ(problem.rope, 64);
  EXPECT_EQ(problem.page_size, 4);
  EXPECT_STREQ(problem.kv_format, "fp8");
  EXPECT_STREQ(problem.q_format, "fp8");
  EXPECT_STREQ(problem.q_mode, "dynamic");
  EXPECT_EQ(problem.q_terms, 1);
  EXPECT_STREQ(problem.fp8, "e4m3fn");
  EXPECT_DOUBLE_EQ(problem.sm_scale, 0.0416667);
  ASSERT_EQ(mla_bundle_kernel_count(bundle), 4);
  mla_kernel_info kernel = mla_bundle_kernel(bundle, 2);
  EXPECT_STREQ(kernel.name, "attend");
  EXPECT_STREQ(kernel.role, "attend");
  EXPECT_EQ(kernel.threads, 512);
  EXPECT_EQ(kernel.vgprs, 128);
  EXPECT_EQ(kernel.lds_bytes, 65536);
  EXPECT_STREQ(mla_bundle_kernel(bundle, 4).name, "");
  EXPECT_STREQ(mla_bundle_kernel(bundle, -1).name, "");
  EXPECT_EQ(mla_bundle_table_count(bundle), 1);
  mla_bundle_unload(bundle);
}

TEST(Bundle, OfBf16NamesNoFp8) {
  std::vector<uint8_t> bytes = TestBundle("none").write();
  mla_bundle *bundle = nullptr;
  ASSERT_EQ(
      mla_bundle_load_memory(nullptr, bytes.data(), bytes.size(), &bundle),
      MLA_OK)
      << mla_last_error();
  EXPECT_EQ(mla_bundle_problem(bundle).fp8, nullptr);
  mla_bundle_unload(bundle);
}

TEST(Bundle, IsReadFromAFile) {
  std::string path = ::testing::TempDir() + "bundle_test.mlab";
  std::vector<uint8_t> bytes = TestBundle().write();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<char *>(bytes.data()), bytes.size());
  mla_bundle *bundle = nullptr;
  EXPECT_EQ(mla_bundle_load_file(nullptr, path.c_str(), &bundle), MLA_OK)
      << mla_last_error();
  mla_bundle_unload(bundle);
  bundle = nullptr;

  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<char *>(bytes.data()), bytes.size() - 1);
  EXPECT_EQ(mla_bundle_load_file(nullptr, path.c_str(), &bundle),
            MLA_ERROR_BUNDLE);
  EXPECT_TRUE(contains(mla_last_error(), path));
  EXPECT_TRUE(contains(mla_last_error(), "it is truncated"));
  std::remove(path.c_str());
  EXPECT_EQ(mla_bundle_load_file(nullptr, path.c_str(), &bundle),
            MLA_ERROR_BUNDLE);
  EXPECT_TRUE(contains(mla_last_error(), "No such file"));
  EXPECT_EQ(mla_bundle_load_file(nullptr, "/", &bundle), MLA_ERROR_BUNDLE);
  EXPECT_EQ(bundle, nullptr);
}

TEST(Bundle, EveryTruncationIsRefused) {
  TestBundle source;
  source.tables.push_back(storedTables());
  const std::vector<uint8_t> bytes = source.write();
  ASSERT_EQ(errorOf(bytes), "");
  for (size_t size = 0; size < bytes.size(); ++size) {
    // The long empty stretch before the first blob needs no such care.
    if (size > 6000 && size < 16000 && size % 97)
      continue;
    std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + size);
    ASSERT_NE(errorOf(cut), "") << size;
  }
}

TEST(Bundle, NoDamageIsTakenForSound) {
  TestBundle source;
  source.tables.push_back(storedTables());
  const std::vector<uint8_t> bytes = source.write();
  size_t manifestEnd =
      sizeof(mla::bundle::BundleHeader) + source.manifest.dump().size();
  size_t blobs = source.manifest["code_objects"][0]["offset"];
  size_t table = source.manifest["tables"][0]["offset"];
  std::mt19937 random(5);
  for (int trial = 0; trial < 3000; ++trial) {
    std::vector<uint8_t> damaged = bytes;
    size_t at = random() % damaged.size();
    damaged[at] ^= 1u << random() % 8;
    bool padding = (at >= manifestEnd && at < blobs) ||
                   (at >= blobs + source.codeObjects[0].size() && at < table);
    ASSERT_EQ(errorOf(damaged).empty(), padding) << at;
  }
}

TEST(Bundle, DamageWithoutManifestChecksumNeverCrashes) {
  TestBundle source;
  source.withManifestChecksum = false;
  source.tables.push_back(storedTables());
  const std::vector<uint8_t> bytes = source.write();
  size_t manifestBytes = source.manifest.dump().size();
  std::mt19937 random(6);
  for (int trial = 0; trial < 3000; ++trial) {
    std::vector<uint8_t> damaged = bytes;
    for (int i = 0; i < 1 + trial % 3; ++i)
      damaged[random() % (24 + manifestBytes)] = static_cast<uint8_t>(random());
    errorOf(damaged);
  }
}

TEST(Bundle, OtherFilesAreNamedAsSuch) {
  EXPECT_EQ(errorOf({}),
            "this is no bundle: 0 bytes are too few for a header of 24");
  std::vector<uint8_t> bytes(100, 'x');
  EXPECT_EQ(errorOf(bytes),
            "this is no bundle: it does not begin with MLABNDL");
  bytes = TestBundle().write();
  bytes[8] = 9;
  EXPECT_EQ(errorOf(bytes), "the bundle has format version 9; this runtime "
                            "reads version 1");
}

namespace {
struct WrongManifest {
  void (*spoil)(json &);
  const char *sentence;
};
} // namespace

TEST(Bundle, WrongManifestsAreRefusedWithASentence) {
  const WrongManifest cases[] = {
      {[](json &m) { m.erase("chip"); }, "chip is missing"},
      {[](json &m) { m["chip"] = 950; }, "chip is not a string"},
      {[](json &m) { m["chip"] = "gfx90a"; },
       "chip is 'gfx90a'; known are gfx942, gfx950"},
      {[](json &m) { m["format_version"] = 2; },
       "format_version is 2; allowed are 1 to 1"},
      {[](json &m) { m["problem"] = 3; }, "problem is not an object"},
      {[](json &m) { m["problem"]["heads"] = 0; },
       "problem.heads is 0; allowed are 1 to 2147483647"},
      {[](json &m) { m["problem"]["heads"] = 1.5; },
       "problem.heads is not an integer"},
      {[](json &m) { m["problem"]["heads"] = 18446744073709551615u; },
       "problem.heads is 18446744073709551615; allowed are 1 to 2147483647"},
      {[](json &m) { m["problem"]["kv_format"] = "int8"; },
       "problem.kv_format is 'int8'; allowed are fp8, bf16"},
      {[](json &m) { m["problem"]["fp8"] = "e4m3fnuz"; },
       "problem.fp8 is 'e4m3fnuz'; gfx950 has e4m3fn"},
      {[](json &m) { m["problem"]["fp8"] = nullptr; },
       "problem.fp8 is not a string"},
      {[](json &m) { m["problem"]["q_mode"] = "none"; },
       "problem.q_mode is 'none' with q_format 'fp8'; bf16 goes with none, fp8 "
       "with static, dynamic or per_head"},
      {[](json &m) { m["problem"]["sm_scale"] = "1"; },
       "problem.sm_scale is not a number"},
      {[](json &m) { m["problem"]["out_type"] = "f32"; },
       "problem.out_type is 'f32'; allowed are bf16"},
      {[](json &m) { m["schedule"]["tile_rows"] = 0; },
       "schedule.tile_rows is 0; allowed are 1 to 2147483647"},
      {[](json &m) { m["workspace"][0]["name"] = "out"; },
       "workspace[0].name is 'out', which is no workspace buffer"},
      {[](json &m) { m["workspace"][0]["name"] = "partial_o"; },
       "workspace lists 'partial_o' twice"},
      {[](json &m) { m["workspace"][1]["symbol"] = "workgroups"; },
       "workspace[1].symbol is 'workgroups'; allowed are one, total_q, "
       "partials, combine_items"},
      {[](json &m) { m["problem"]["q_terms"] = 3; },
       "problem.q_terms is 3; allowed are 1 to 2"},
      {[](json &m) { m["workspace"][1]["bytes"] = -4; },
       "workspace[1].bytes is -4; allowed are 1 to 1099511627776"},
      {[](json &m) { m["kernels"] = json::array(); }, "it lists no kernels"},
      {[](json &m) { m["kernels"] = json::object(); },
       "kernels is not an array"},
      {[](json &m) { m["kernels"][1] = "attend"; },
       "kernels[1] is not an object"},
      {[](json &m) { m["kernels"][1]["code_object"] = 1; },
       "kernels[1].code_object is 1; allowed are 0 to 0"},
      {[](json &m) { m["kernels"][1]["block"] = 2048; },
       "kernels[1].block is 2048; allowed are 1 to 1024"},
      {[](json &m) { m["kernels"][1]["grid"]["symbol"] = "heads"; },
       "kernels[1].grid.symbol is 'heads'; allowed are one, total_q, "
       "workgroups, combine_items"},
      {[](json &m) { m["kernels"][1]["grid"]["factor"] = 0; },
       "kernels[1].grid.factor is 0; allowed are 1 to 2147483647"},
      {[](json &m) { m["kernels"][1]["args"][2]["name"] = "k_cache"; },
       "kernels[1].args[2].name is 'k_cache', which is no buffer of this "
       "format version"},
      {[](json &m) { m["kernels"][1]["args"][2]["name"] = "q_amax"; },
       "kernels[1].args[2].name is 'q_amax', which the workspace does not "
       "list"},
      {[](json &m) { m["kernels"][1]["args"][2]["access"] = "guess"; },
       "kernels[1].args[2].access is 'guess'; allowed are read, write, "
       "read_write"},
      {[](json &m) {
         for (int i = 0; i < 9; ++i)
           m["kernels"][1]["args"].push_back(m["kernels"][1]["args"][0]);
       },
       "kernel 'attend' has more than 16 arguments"},
      {[](json &m) { m["kernels"][1]["resources"].erase("vgprs"); },
       "kernels[1].resources.vgprs is missing"},
  };
  for (const WrongManifest &wrong : cases) {
    TestBundle source;
    wrong.spoil(source.manifest);
    EXPECT_EQ(errorOf(source.write()),
              std::string("the bundle's manifest is wrong: ") + wrong.sentence);
  }
}

TEST(Bundle, KeysOfLaterWritersAreIgnored) {
  TestBundle source;
  source.manifest["built_on"] = "a rainy day";
  source.manifest["kernels"][0]["isa"] = {1, 2, 3};
  EXPECT_EQ(errorOf(source.write()), "");
}

TEST(Bundle, BlobsMustLieInTheFile) {
  auto errorWith = [](const char *key, uint64_t value) {
    TestBundle source;
    source.withManifestChecksum = false;
    std::vector<uint8_t> bytes = source.write();
    // Rewritten in place, so that only this number changes.
    source.manifest["code_objects"][0][key] = value;
    std::string text = source.manifest.dump();
    mla::bundle::BundleHeader header;
    header.manifestBytes = text.size();
    std::memcpy(bytes.data(), &header, sizeof(header));
    std::memcpy(bytes.data() + sizeof(header), text.data(), text.size());
    return errorOf(bytes);
  };
  EXPECT_TRUE(contains(errorWith("offset", 16385), "code_objects[0].bytes"));
  EXPECT_TRUE(contains(errorWith("offset", 1 << 20), "code_objects[0].offset"));
  EXPECT_TRUE(contains(errorWith("offset", 64), "begins inside the manifest"));
  EXPECT_TRUE(contains(errorWith("bytes", 0), "code_objects[0].bytes is 0"));
  EXPECT_TRUE(contains(errorWith("bytes", 6), "code_objects[0].bytes is 6"));
  EXPECT_EQ(errorWith("bytes", 4),
            "the bundle is damaged: the checksum of code_objects[0] is wrong");
  EXPECT_EQ(errorWith("crc32", 1),
            "the bundle is damaged: the checksum of code_objects[0] is wrong");
}

TEST(Bundle, TablesOfAnotherProblemAreRefused) {
  TestBundle source;
  source.tables.push_back(storedTables());
  source.manifest["problem"]["heads"] = 16;
  EXPECT_EQ(errorOf(source.write()), "the bundle is damaged: tables[0] was "
                                     "made for another problem");
}

TEST_F(RuntimeTest, BundleForAnotherChipIsRefused) {
  fake().chip = "gfx942";
  openDevice();
  TestBundle source;
  EXPECT_EQ(load(source), MLA_ERROR_CHIP);
  EXPECT_STREQ(mla_last_error(),
               "the bundle was built for gfx950, but device 0 is gfx942");
}

TEST_F(RuntimeTest, CodeThatDoesNotLoadIsAnError) {
  openDevice();
  TestBundle source;
  source.codeObjects.push_back({6, 7, 8, 9});
  fake().failing = "hipModuleGetFunction";
  fake().error = 500;
  EXPECT_EQ(load(source), MLA_ERROR_HIP);
  EXPECT_STREQ(mla_last_error(), "cannot find the kernel quantize: something "
                                 "went wrong (HIP error 500)");
  // What was loaded before the failure is unloaded again: see TearDown.
  fake().failing = "hipModuleLoadData";
  EXPECT_EQ(load(source), MLA_ERROR_HIP);
}
