//===- Compiler.cpp - Calls mla-compile -----------------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compiler.h"

#include "mla/Runtime/BundleFormat.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mla::run;

std::filesystem::path mla::run::programFolder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

TemporaryFolder::TemporaryFolder() {
  std::string name =
      (std::filesystem::temp_directory_path() / "mla-run-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw Failure("cannot make a temporary folder " + name + ": " +
                  std::strerror(errno));
  folder = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

static std::string join(const std::vector<std::string> &parts) {
  std::string all;
  for (const std::string &part : parts)
    all += (all.empty() ? "" : ",") + part;
  return all;
}

/// One case is given as it is; more have equal sequences (they come from a
/// suite) and are given as a list of shapes.
static void addShapes(const std::vector<Case> &cases,
                      std::vector<std::string> &command) {
  command.push_back("--q-len=" + std::to_string(cases.front().queryLength));
  std::vector<std::string> parts;
  if (cases.size() == 1) {
    const std::vector<int32_t> &kv = cases.front().kv;
    bool equal = std::equal(kv.begin() + 1, kv.end(), kv.begin());
    for (size_t i = 0; i < (equal ? 1 : kv.size()); ++i)
      parts.push_back(std::to_string(kv[i]));
    command.push_back("--batch=" + std::to_string(kv.size()));
    command.push_back("--kv=" + join(parts));
    return;
  }
  for (const Case &entry : cases)
    parts.push_back(std::to_string(entry.batch()) + "x" +
                    std::to_string(entry.kv.front()));
  command.push_back("--shape=" + join(parts));
}

/// What the command prints goes to standard error, or nowhere.
static void execute(const std::vector<std::string> &command, bool quiet) {
  std::vector<char *> argv;
  argv.reserve(command.size() + 1);
  for (const std::string &word : command)
    argv.push_back(const_cast<char *>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (quiet)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
                                     O_WRONLY, 0);
  else
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  int error =
      posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error)
    throw Failure("cannot run " + command[0] + ": " + std::strerror(error) +
                  "; give --bundle, or name the compiler by MLA_COMPILE");
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    continue;
  if (status == 0)
    return;
  std::string text = "mla-compile failed:";
  for (const std::string &word : command)
    text += " " + word;
  throw Failure(text);
}

void mla::run::compileBundle(const Options &options, const std::string &chip,
                             const Formats &formats,
                             const std::filesystem::path &output) {
  const char *named = std::getenv("MLA_COMPILE");
  std::string compiler =
      named && *named ? named : (programFolder() / "mla-compile").string();
  std::vector<std::string> command = {
      compiler,
      "--chip=" + chip,
      "--heads=" + std::to_string(options.heads.value_or(16)),
      "--page-size=" + std::to_string(options.pageSize.value_or(1)),
      "--kv-format=" + formats.kv,
      "--q-format=" + formats.q};
  if (formats.qMode != bundle::qmode::none)
    command.push_back("--q-mode=" + formats.qMode);
  if (!options.fuse)
    command.push_back("--fuse=false");
  if (formats.kv == bundle::format::fp8) {
    if (!options.qPrecision.empty())
      command.push_back("--q-precision=" + options.qPrecision);
    if (!options.pPrecision.empty())
      command.push_back("--p-precision=" + options.pPrecision);
  }
  if (options.smScale) {
    char text[64];
    std::snprintf(text, sizeof(text), "--sm-scale=%.17g", *options.smScale);
    command.push_back(text);
  }
  addShapes(options.cases, command);
  command.push_back("-o");
  command.push_back(output.string());
  execute(command, options.quiet);
}
