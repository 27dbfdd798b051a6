// Command: `mortise my_plugin FILES…` prints how many bytes each file has.

#include <filesystem>
#include <iostream>
#include <mortise/plugin.hpp>
#include <mortise/run/command.hpp>

namespace {

using mortise::field;

class MyPlugin final : public mortise::Command {
 public:
  struct Config {
    std::vector<std::string_view> files;
    bool total = true;

    static constexpr auto settings() {
      return mortise::fields(
          field("files", &Config::files).path().positional().doc("what to look at"),
          field("total", &Config::total).doc("end with the sum"));
    }
  };

  explicit MyPlugin(const Config& config) : config_(config) {}

  std::int64_t run() override {
    std::uintmax_t sum = 0;
    for (const std::string_view file : config_.files) {
      std::error_code failed;
      const std::uintmax_t size = std::filesystem::file_size(file, failed);
      if (failed)
        throw mortise::DataError(std::string(file) + " cannot be read: " + failed.message());
      std::cout << size << ' ' << file << '\n';
      sum += size;
    }
    if (config_.total) std::cout << sum << " in all\n";
    return 0;
  }

 private:
  Config config_;
};

}  // namespace

MORTISE_PLUGIN("org.example.my_plugin", MORTISE_VERSION,
               mortise::component<MyPlugin, mortise::Command>("my_plugin",
                                                              "prints the sizes of files"));
