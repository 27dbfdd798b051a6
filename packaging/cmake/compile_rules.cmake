# What our own targets compile with; nothing here reaches a plugin author's target.

# Warnings, linked PRIVATE. They become errors in the presets (CMAKE_COMPILE_WARNING_AS_ERROR).
add_library(mortise_warnings INTERFACE)
target_compile_options(
  mortise_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                             -Woverloaded-virtual -Wcast-align -Wformat=2)

# Products and sums are not fused: the same numbers on every machine.
add_library(mortise_numerics INTERFACE)
target_compile_options(mortise_numerics INTERFACE -ffp-contract=off)
