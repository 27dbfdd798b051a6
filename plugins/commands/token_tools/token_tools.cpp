// Commands on token files.

#include "data_chunk.hpp"
#include "data_convert.hpp"
#include "data_filter.hpp"
#include "data_inspect.hpp"
#include "data_merge.hpp"
#include "data_shuffle.hpp"
#include "data_verify.hpp"

using mortise::Command;
using mortise::component;
using namespace mortise::token_tools;

MORTISE_PLUGIN(
    "org.mortise.token_tools", MORTISE_VERSION,
    component<DataChunk, Command>("data.chunk",
                                  "writes the documents of token files into several files\n\n"
                                  "example:\n"
                                  "  mortise data chunk train.pbin --parts 4 -o part.pbin"),
    component<DataConvert, Command>("data.convert",
                                    "writes a token file in another format\n\n"
                                    "example:\n"
                                    "  mortise data convert train.pbin -o train.npy"),
    component<DataFilter, Command>(
        "data.filter",
        "writes the documents of token files that keep to simple rules\n\n"
        "example:\n"
        "  mortise data filter train.pbin --min-tokens 32 --unique -o kept.pbin"),
    component<DataInspect, Command>("data.inspect",
                                    "shows what is in token files\n\n"
                                    "example:\n"
                                    "  mortise data inspect train.pbin --tokenizer byte"),
    component<DataMerge, Command>("data.merge",
                                  "writes several token files into one\n\n"
                                  "example:\n"
                                  "  mortise data merge part.*.pbin -o merged.pbin"),
    component<DataShuffle, Command>("data.shuffle",
                                    "writes the documents of token files in another order\n\n"
                                    "example:\n"
                                    "  mortise data shuffle train.pbin --seed 7 -o shuffled.pbin"),
    component<DataVerify, Command>("data.verify",
                                   "reads whole token files and finds what is wrong with them\n\n"
                                   "example:\n"
                                   "  mortise data verify train.pbin"));
