#include "host/cli/temporary_file.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/failure.hpp"

namespace mortise::host {

TemporaryFile::TemporaryFile(const std::string& text) {
  std::string name = (std::filesystem::temp_directory_path() / "mortise_config_XXXXXX").string();
  const int file = mkstemp(name.data());
  if (file < 0)
    throw Failure("K0105", Exit::storage,
                  "error[K0105]: no temporary file can be made in " +
                      std::filesystem::temp_directory_path().string());
  close(file);
  path_ = name;
  std::ofstream(path_) << text;
}

TemporaryFile::~TemporaryFile() { std::remove(path_.c_str()); }

}  // namespace mortise::host
