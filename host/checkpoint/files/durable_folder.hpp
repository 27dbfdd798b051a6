#pragma once

#include <filesystem>

namespace mortise::host {

// Changes of folders, on the disk when they return. All throw Failure K0002 with path and errno.

// Makes the folder and those above it; it may exist.
void make_folder(const std::filesystem::path& folder);
// Moves a folder to a name that is free, within one file system.
void rename_folder(const std::filesystem::path& from, const std::filesystem::path& to);
// Swaps two folders in one step; false where the file system cannot, and nothing has changed.
bool exchange_folders(const std::filesystem::path& a, const std::filesystem::path& b);
// A free name for what has to leave `taken`: NAME.aside, NAME.aside-2 …
std::filesystem::path aside_name(const std::filesystem::path& taken);
// Removes a folder with all that is in it; it may be missing. Follows no links.
void remove_folder(const std::filesystem::path& folder);
// Brings the names in a folder to the disk.
void sync_folder(const std::filesystem::path& folder);

}  // namespace mortise::host
