#pragma once

#include <string>
#include <vector>

namespace mortise::host {

// The arguments after the command's own words.
using Arguments = std::vector<std::string>;

// Runs `mortise ARGUMENTS…` and returns the exit code. Failures are printed here, once.
int run_command_line(const Arguments& arguments);

// Commands, one file each in commands/.
int run_command(const Arguments& arguments);
int check_command(const Arguments& arguments);
int config_command(const Arguments& arguments);
int replay_command(const Arguments& arguments);
int plugin_command(const Arguments& arguments);
int plugin_new_command(const Arguments& arguments);
int plugin_build_command(const Arguments& arguments);
int plugin_validate_command(const Arguments& arguments);
// A command that a plugin offers: `mortise data pack …` is its key data.pack.
int component_command(const Arguments& arguments);

}  // namespace mortise::host
