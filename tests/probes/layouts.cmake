# Plugins that prove selectors, cutters, mesh axes and weight gradients that are put off.
foreach(probe IN ITEMS zero_bubble ring_attention moe)
  mortise_add_plugin(probe_${probe} FIXTURE TORCH SOURCES probes/${probe}/${probe}.cpp)
endforeach()
mortise_add_test(
  layout_probes_test TORCH SOURCES probes/layouts_test.cpp
  LABELS probes distributed LINK mortise_test_training TIMEOUT 300 PROCESSORS 2
  PLUGINS fsdp ddp probe_zero_bubble probe_ring_attention probe_moe)
mortise_add_test(
  mesh_test SOURCES end_to_end/mesh_test.cpp
  LABELS probes distributed LINK mortise_started_program TIMEOUT 120 PROCESSORS 2
  PLUGINS adamw byte_tokenizer console constant cross_entropy fsdp ddp jsonl keyed_permutation llama
          scaled_normal text warmup_cosine probe_zero_bubble probe_ring_attention
          probe_moe)
add_dependencies(mesh_test mortise)
