//===- MlaRunTest.cpp - mla-run as its users meet it ----------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a HIP library whose kernels do nothing, so that every result is wrong: the
// outputs keep the NaNs that mla-run has filled them with. Right results are a
// matter of the tests that have the simulator.
//
//===----------------------------------------------------------------------===//

#include "TestBundle.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>

namespace {
struct Outcome {
  int exitCode;
  std::string output; ///< Of both streams.
};

class MlaRunTest : public ::testing::Test {
protected:
  std::filesystem::path folder;

  void SetUp() override {
    std::string name = ::testing::TempDir() + "mla-run-test-XXXXXX";
    ASSERT_TRUE(mkdtemp(name.data()));
    folder = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  static Outcome run(const std::string &arguments,
                     const std::string &environment = "") {
    std::string command =
        environment + " " + MLA_RUN " --quiet " + arguments + " 2>&1";
    // NOLINTNEXTLINE(bugprone-command-processor): as from a user's shell.
    FILE *pipe = popen(command.c_str(), "r");
    Outcome result{-1, ""};
    char buffer[4096];
    while (size_t count = fread(buffer, 1, sizeof(buffer), pipe))
      result.output.append(buffer, count);
    int status = pclose(pipe);
    result.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return result;
  }

  /// With the library whose kernels do nothing.
  static Outcome runFake(const std::string &arguments,
                         const std::string &environment = "") {
    return run("--device hip --hip-library " FAKE_HIP_LIBRARY " " + arguments,
               environment);
  }

  std::string write(TestBundle source, size_t cutOff = 0) {
    std::vector<uint8_t> bytes = source.write();
    std::string path = (folder / "bundle.mlab").string();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<char *>(bytes.data()), bytes.size() - cutOff);
    return path;
  }

  std::string readText(const char *name) const {
    std::ifstream file(folder / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static void expectError(const Outcome &run, const std::string &sentence) {
    EXPECT_EQ(run.exitCode, 2);
    EXPECT_EQ(run.output, "mla-run: error: " + sentence + "\n");
  }
};
} // namespace

TEST_F(MlaRunTest, HelpNamesTheOptions) {
  Outcome result = run("--help");
  EXPECT_EQ(result.exitCode, 0);
  for (const char *option :
       {"--chip", "--batch", "--kv", "--kv-format", "--q-format", "--heads",
        "--page-size", "--q-mode", "--no-fuse", "--q-precision",
        "--p-precision", "--seed", "--digest", "--suite", "--device",
        "--bundle", "--json"})
    EXPECT_NE(result.output.find(option), std::string::npos) << option;
}

TEST_F(MlaRunTest, ResultsThatAreNotThereFail) {
  std::string json = (folder / "out.json").string();
  Outcome result =
      runFake("--kv 5,0,9 --bundle " + write(TestBundle()) + " --json " + json);
  EXPECT_EQ(result.exitCode, 1) << result.output;
  EXPECT_EQ(result.output.find("chip    batch     kv  formats"), 0u)
      << result.output;
  EXPECT_NE(result.output.find("gfx950      3  5,0,9  fp8"), std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("FAIL"), std::string::npos);

  nlohmann::json entry =
      nlohmann::json::parse(readText("out.json"))["cases"][0];
  EXPECT_EQ(entry["chip"], "gfx950");
  EXPECT_EQ(entry["batch"], 3);
  EXPECT_EQ(entry["kv"], nlohmann::json({5, 0, 9}));
  EXPECT_EQ(entry["kv_format"], "fp8");
  EXPECT_EQ(entry["q_format"], "fp8");
  EXPECT_EQ(entry["launches"], 2);
  EXPECT_EQ(entry["bytes_kv"], 14 * 576);
  EXPECT_TRUE(entry["rel_l2"].is_null());
  EXPECT_TRUE(entry["max_abs"].is_null());
  EXPECT_EQ(entry["not_finite"], 3 * 20 * 512);
  EXPECT_EQ(entry["ok"], false);
}

TEST_F(MlaRunTest, DigestsAreOfTheOutputs) {
  // FNV-1a of 1 * 20 * 512 NaNs of bf16 (ff ff) and 20 of f32 (00 00 c0 7f).
  uint64_t hash = 0xcbf29ce484222325;
  auto add = [&](int count, std::initializer_list<uint8_t> bytes) {
    for (int i = 0; i < count; ++i)
      for (uint8_t byte : bytes)
        hash = (hash ^ byte) * 0x100000001b3;
  };
  add(20 * 512, {0xff, 0xff});
  add(20, {0x00, 0x00, 0xc0, 0x7f});
  char expected[17];
  std::snprintf(expected, sizeof(expected), "%016llx",
                static_cast<unsigned long long>(hash));

  std::string json = (folder / "out.json").string(),
              options = "--batch 1 --kv 5 --bundle " + write(TestBundle()) +
                        " --json " + json;
  EXPECT_EQ(runFake(options).output.find(expected), std::string::npos);
  EXPECT_NE(runFake("--digest " + options).output.find(expected),
            std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(readText("out.json"))["cases"][0]["digest"],
            expected);
}

TEST_F(MlaRunTest, WrongResultsOfUncheckedSequencesFailToo) {
  Outcome result =
      runFake("--batch 40 --kv 3 --sample 2 --bundle " + write(TestBundle()));
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_NE(result.output.find("2/40"), std::string::npos) << result.output;
}

TEST_F(MlaRunTest, UsageErrorsAreSentences) {
  expectError(
      run("--kv 1,2 --batch 3"),
      "--kv has 2 lengths for a batch of 3; give one for all sequences, "
      "or one a sequence");
  expectError(run("--q-format bf16 --q-mode static"),
              "--q-mode static is for a Q of fp8; with --kv-format bf16 with "
              "--q-format bf16 Q is not quantised");
  expectError(run("--chip gfx90a"), "--chip: gfx90a not in {gfx942,gfx950} "
                                    "(mla-run --help says more)");
  EXPECT_EQ(run("--batch 0").exitCode, 2);
  EXPECT_EQ(run("--kv -1").exitCode, 2);
  EXPECT_EQ(run("--suite base --kv 7").exitCode, 2);
  EXPECT_EQ(run("--frobnicate").exitCode, 2);
}

TEST_F(MlaRunTest, LibrariesThatAreNotThereAreNamed) {
  expectError(run("--device hip --hip-library /nowhere.so"),
              "cannot open the HIP library: /nowhere.so: cannot open shared "
              "object file: No such file or directory");
  expectError(run("--device hip --hip-library libm.so.6"),
              "libm.so.6 is no HIP library of use: it has no function "
              "hipGetDeviceCount");
}

TEST_F(MlaRunTest, OptionsMustFitTheBundle) {
  std::string bundle = " --bundle " + write(TestBundle());
  expectError(runFake("--heads 16" + bundle),
              "--heads is 16, but the bundle was built for 20");
  expectError(runFake("--page-size 1" + bundle),
              "--page-size is 1, but the bundle was built for 4");
  expectError(runFake("--kv-format bf16" + bundle),
              "--kv-format is bf16, but the bundle was built for fp8");
  expectError(runFake("--q-mode dynamic" + bundle),
              "--q-mode is dynamic, but the bundle was built for static");
  expectError(runFake("--chip gfx942" + bundle),
              "--chip is gfx942, but the bundle was built for gfx950");
  expectError(runFake("--formats fp8,bf16" + bundle),
              "--bundle holds kernels of one format; --formats gives 2");
}

TEST_F(MlaRunTest, DamagedBundlesAreRefused) {
  std::string path = write(TestBundle(), /*cutOff=*/1);
  size_t size = std::filesystem::file_size(path);
  expectError(runFake("--bundle " + path),
              path + ": the bundle has " + std::to_string(size) +
                  " bytes, but its manifest says " + std::to_string(size + 1) +
                  "; it is truncated");
}

TEST_F(MlaRunTest, TheCompilerIsToldTheProblem) {
  std::string log = (folder / "log").string();
  std::string compiler = (folder / "compiler").string();
  std::ofstream(compiler) << "#!/bin/sh\necho \"$@\" >" << log << "\nexit 3\n";
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  std::string environment = "MLA_COMPILE=" + compiler;

  Outcome result = runFake("--heads 20 --page-size 4 --kv 5,0,9 --q-len 2 "
                           "--q-mode dynamic --sm-scale 0.5",
                           environment);
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_EQ(result.output.find("mla-run: error: mla-compile failed: "), 0u);
  std::string expected = "--chip=gfx950 --heads=20 --page-size=4 "
                         "--kv-format=fp8 --q-format=fp8 --q-mode=dynamic "
                         "--sm-scale=0.5 --q-len=2 --batch=3 --kv=5,0,9 -o ";
  EXPECT_EQ(readText("log").substr(0, expected.size()), expected);

  runFake("--kv 7 --no-fuse --q-precision fp8 --p-precision fp8x2",
          environment);
  expected = "--chip=gfx950 --heads=16 --page-size=1 --kv-format=fp8 "
             "--q-format=fp8 --q-mode=per_head --fuse=false --q-precision=fp8 "
             "--p-precision=fp8x2 --q-len=1 --batch=4 --kv=7 -o ";
  EXPECT_EQ(readText("log").substr(0, expected.size()), expected);

  runFake("--suite base --formats bf16", environment);
  expected = "--chip=gfx950 --heads=16 --page-size=1 --kv-format=bf16 "
             "--q-format=bf16 --q-len=1 --shape=4x1024,4x8192,32x1024,32x8192,"
             "64x1024,64x8192,256x1024,256x8192 -o ";
  EXPECT_EQ(readText("log").substr(0, expected.size()), expected);

  expectError(runFake("", "MLA_COMPILE=/nowhere/compiler"),
              "cannot run /nowhere/compiler: No such file or directory; give "
              "--bundle, or name the compiler by MLA_COMPILE");
}
