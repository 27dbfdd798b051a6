// The commands `data …`.

#include <mortise/plugin.hpp>

#include "data_pack.hpp"

using namespace mortise::data_tools;

MORTISE_PLUGIN("org.mortise.data_tools", MORTISE_VERSION,
               mortise::component<DataPack, mortise::Command>(
                   "data.pack",
                   "packs text files into a token file\n\n"
                   "example:\n"
                   "  mortise data pack books/*.txt --tokenizer byte --hold-out 1% -o books.pbin"));
