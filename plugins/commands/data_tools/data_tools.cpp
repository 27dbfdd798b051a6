// The commands `data …`.

#include <mortise/plugin.hpp>

#include "data_decode.hpp"
#include "data_encode.hpp"
#include "data_index.hpp"
#include "data_pack.hpp"

using namespace mortise::data_tools;

MORTISE_PLUGIN("org.mortise.data_tools", MORTISE_VERSION,
               mortise::component<DataPack, mortise::Command>(
                   "data.pack",
                   "packs text files into a token file\n\n"
                   "example:\n"
                   "  mortise data pack books/*.txt --tokenizer byte --hold-out 1% -o books.pbin"),
               mortise::component<DataIndex, mortise::Command>(
                   "data.index",
                   "writes where each record of a JSONL file lies\n\n"
                   "example:\n"
                   "  mortise data index web.jsonl -o web.idx"),
               mortise::component<DataEncode, mortise::Command>(
                   "data.encode",
                   "prints the ids of a text\n\n"
                   "example:\n"
                   "  mortise data encode --tokenizer byte \"To be, or not to be\""),
               mortise::component<DataDecode, mortise::Command>(
                   "data.decode",
                   "prints the text of ids\n\n"
                   "example:\n"
                   "  mortise data decode --tokenizer byte 84 111 32 98 101"));
