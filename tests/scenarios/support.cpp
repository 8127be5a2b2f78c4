// Plain POSIX: files in a temporary folder, a child process with its three streams.
// Leaves out time limits: the test runner has one.
#include "tests/scenarios/support.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "sim/config/yaml.hpp"

namespace kvtraffic::scenarios::test {

namespace fs = std::filesystem;

sim::Node yaml(const std::string& text) {
  sim::Diagnostics faults;
  sim::Node node = sim::read_yaml(text, "test.yaml", faults);
  EXPECT_FALSE(faults.has_errors()) << faults.render();
  return node;
}

std::vector<std::string> messages(const sim::Diagnostics& diagnostics) {
  std::vector<std::string> texts;
  for (const sim::Diagnostic& one : diagnostics.all()) {
    texts.push_back(one.path.empty() ? one.message : one.path + ": " + one.message);
  }
  return texts;
}

Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "kvtraffic-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  root_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

void Folder::write(const std::string& file, const std::string& text) const {
  fs::create_directories((root_ / file).parent_path());
  std::ofstream(root_ / file, std::ios::binary) << text;
}

std::string Folder::path(const std::string& file) const { return (root_ / file).string(); }

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(in) << file;
  return {std::istreambuf_iterator<char>(in), {}};
}

namespace {

void connect(const std::string& file, int flags, int descriptor) {
  const int opened = open(file.c_str(), flags, 0600);
  if (opened < 0 || dup2(opened, descriptor) < 0) _exit(127);
  close(opened);
}

[[noreturn]] void become_program(const std::vector<std::string>& arguments, const Folder& streams,
                                 const std::string& folder, const std::vector<std::string>& environment) {
  connect(streams.path("in"), O_RDONLY, STDIN_FILENO);
  connect(streams.path("out"), O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  connect(streams.path("err"), O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  if (!folder.empty() && chdir(folder.c_str()) != 0) _exit(127);
  for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
  std::vector<char*> argv{const_cast<char*>("kvtraffic")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(KVTRAFFIC_BINARY, argv.data());
  _exit(127);
}

}  // namespace

Outcome run_program(const std::vector<std::string>& arguments, const std::string& input, const std::string& folder,
                    const std::vector<std::string>& environment) {
  const Folder streams;
  streams.write("in", input);
  const pid_t child = fork();
  if (child == 0) become_program(arguments, streams, folder, environment);
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contents(streams.path("out")),
          contents(streams.path("err"))};
}

}  // namespace kvtraffic::scenarios::test
