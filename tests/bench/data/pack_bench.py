#!/usr/bin/env python3
"""Packing and indexing of text against Modalities, on one core, interleaved; then scaling, memory and hard inputs.

usage: pack_bench.py MORTISE CORPUS.jsonl [--tokenizer TOKENIZER] [--modalities BIN --hf-folder FOLDER] [--pairs 3]
                     [--megabytes 25] [--parts peer scaling cold memory index shapes] [--work FOLDER]

--tokenizer is what `mortise data pack --tokenizer` takes, --hf-folder the same tokenizer for Modalities; both must give
the same ids: the files that both write are compared. A pair is one run of each, in turn, and its time is the processor time of
the command with its children, which other programs on the machine disturb less. Modalities' start-up (`modalities --help`,
which imports what packing imports) is measured beside each pair and taken off its time; ours is not taken off.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import tempfile
import time

PACK_YAML = """settings:
  src_path: {source}
  dst_path: {out}
  index_path: {index}
  jq_pattern: .text
  num_cpus: 1
  eod_token: "<|endoftext|>"
  processing_batch_size: 10
  raw_samples_queue_size: 300
  processed_samples_queue_size: 300
tokenizer:
  component_key: tokenizer
  variant_key: pretrained_hf_tokenizer
  config:
    pretrained_model_name_or_path: {folder}
    padding: false
    truncation: false
"""


def timed(command: list[str]) -> float:
    """Processor seconds on one core, children included."""
    process = subprocess.Popen(["taskset", "-c", "0", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return usage.ru_utime + usage.ru_stime


def pack(options, source, out, *more: str, tokenizer: str = "") -> list[str]:
    return [options.mortise, "data", "pack", str(source), "--tokenizer", tokenizer or options.tokenizer,
            "-o", str(out), "--overwrite", *more]


def facts(command: list[str], cores: str) -> dict:
    """The result that the command prints for programs: times in it are without the program's start. Besides,
    how many processors the whole command had on average: fewer than its cores when others took them."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    printed = subprocess.run(["taskset", "-c", cores, *command, "--json"], check=True, capture_output=True, text=True)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - begin
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {**json.loads(printed.stdout.splitlines()[-1]), "processors": used / wall}


def cut(corpus: pathlib.Path, megabytes: float, out: pathlib.Path) -> pathlib.Path:
    """The first lines of the corpus, again and again until there are that many MB."""
    lines, size = corpus.read_bytes().splitlines(keepends=True), 0
    with open(out, "wb") as file:
        while size < megabytes * 1e6:
            for line in lines:
                if size >= megabytes * 1e6:
                    break
                file.write(line)
                size += len(line)
    return out


def peer(options, work: pathlib.Path) -> None:
    modalities = [options.modalities, "data"]
    config = work / "pack.yaml"
    timed([options.modalities, "--help"])
    for item, size in (("index", 10 * options.megabytes), ("pack", options.megabytes)):
        source = cut(options.corpus, size, work / f"{item}.jsonl")
        megabytes = source.stat().st_size / 1e6
        theirs, ours, index = work / "theirs.pbin", work / "ours.pbin", work / "peer.idx"
        index_command = [*modalities, "create_raw_index", "--index_path", str(index), str(source)]
        if item == "pack":
            index.unlink()
            timed(index_command)
        config.write_text(PACK_YAML.format(source=source, out=theirs, index=index, folder=options.hf_folder))
        ratios, rates = [], []
        for _ in range(options.pairs):
            (index if item == "index" else theirs).unlink(missing_ok=True)
            start = timed([options.modalities, "--help"])
            their_time = timed(index_command if item == "index" else [*modalities, "pack_encoded_data", str(config)])
            our_command = ([options.mortise, "data", "index", str(source), "-o", str(work / "ours.idx"), "--overwrite"]
                           if item == "index" else pack(options, source, ours))
            our_time = timed([*our_command, "--workers", "1"])
            without_start = max(their_time - start, 1e-3)
            ratios.append(without_start / our_time)
            rates.append((megabytes / our_time, megabytes / without_start))
        pairs = [(work / "ours.idx", index)] if item == "index" else [(ours, theirs)]
        equal = all(a.read_bytes() == b.read_bytes() for a, b in pairs)
        ours_rate, theirs_rate = (statistics.median(r[i] for r in rates) for i in (0, 1))
        print(f"{item}: ours, whole command {ours_rate:.1f} MB/s; Modalities without its start-up {theirs_rate:.2f} MB/s; "
              f"ratio {statistics.median(ratios):.1f} ({min(ratios):.1f}-{max(ratios):.1f}) of {len(ratios)}; "
              f"files {'equal' if equal else 'DIFFER'}")


def scaling(options, work: pathlib.Path) -> None:
    source = cut(options.corpus, 4 * options.megabytes, work / "scaling.jsonl")
    ratios, rates, processors = [], {1: [], 2: []}, []
    for _ in range(options.pairs + 2):
        seconds = {}
        for workers, cores in ((1, "0"), (2, "0,1")):
            result = facts(pack(options, source, work / "s.pbin", "--workers", str(workers)), cores)
            seconds[workers] = result["seconds"]
            rates[workers].append(result["megabytes_per_second"])
        ratios.append(seconds[1] / seconds[2])
        processors.append(result["processors"])
    print(f"scaling: 1 core {statistics.median(rates[1]):.1f} MB/s, 2 cores {statistics.median(rates[2]):.1f} MB/s of text; "
          f"ratio {statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f}) of {len(ratios)}; "
          f"processors had with 2 workers: {', '.join(f'{p:.2f}' for p in processors)}")


def evict(source: pathlib.Path) -> None:
    """Its pages leave the cache of the kernel."""
    with open(source, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def cold(options, work: pathlib.Path) -> None:
    source = cut(options.corpus, 8 * options.megabytes, work / "cold.jsonl")
    for name, command in (("packing", pack(options, source, work / "c.pbin")),
                          ("index", [options.mortise, "data", "index", str(source), "-o", str(work / "c.idx"), "--overwrite"])):
        ratios, rates = [], {"warm": [], "cold": []}
        for _ in range(options.pairs + 2):
            for kind, prepare in (("warm", lambda path: path.read_bytes()), ("cold", evict)):
                prepare(source)
                rates[kind].append(facts(command, "0,1")["megabytes_per_second"])
            ratios.append(rates["cold"][-1] / rates["warm"][-1])
        print(f"{name}, 2 cores: page cache warm {statistics.median(rates['warm']):.0f} MB/s, cold {statistics.median(rates['cold']):.0f} MB/s; "
              f"ratio {statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f}) of {len(ratios)}")


def peak_anonymous(command: list[str]) -> float:
    """The largest RssAnon that was seen, in MB."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    most = 0
    while process.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        except (FileNotFoundError, ProcessLookupError):
            break
        found = re.search(r"RssAnon:\s+(\d+) kB", status)
        most = max(most, int(found.group(1)) if found else 0)
        time.sleep(0.005)
    assert process.wait() == 0
    return most / 1024


def memory(options, work: pathlib.Path) -> None:
    for tokenizer in dict.fromkeys(["byte", options.tokenizer]):
        peaks = []
        for megabytes in (10, 2000 if tokenizer == "byte" else 500):
            source = cut(options.corpus, megabytes, work / "memory.jsonl")
            peaks.append(f"{megabytes} MB file: {peak_anonymous(pack(options, source, work / 'm.pbin', tokenizer=tokenizer)):.0f} MiB")
            (work / "m.pbin").unlink()
            source.unlink()
        print(f"memory, {tokenizer}: largest RssAnon, " + ", ".join(peaks))


def index(options, work: pathlib.Path) -> None:
    source = cut(options.corpus, 1000, work / "index.jsonl")
    source.read_bytes()
    command = [options.mortise, "data", "index", str(source), "-o", str(work / "i.idx"), "--overwrite", "--workers", "1"]
    rates = [facts(command, "0")["megabytes_per_second"] for _ in range(5)]
    print(f"index: {statistics.median(rates):.0f} MB/s on one core ({min(rates):.0f}-{max(rates):.0f}), 1 GB in the page cache")
    source.unlink()


def shapes(options, work: pathlib.Path) -> None:
    def record(text: str) -> str:
        return json.dumps({"text": text}) + "\n"

    words = {"1 MB single word": record("a" * 1_000_000), "4 MB single word": record("a" * 4_000_000),
             "50 MB line of words": record("some words " * 4_545_454), "200 MB line of words": record("some words " * 18_181_818),
             "250,000 documents of 1 byte": record("x") * 250_000, "1,000,000 documents of 1 byte": record("x") * 1_000_000}
    for tokenizer in dict.fromkeys(["byte", options.tokenizer]):
        for name, text in words.items():
            source = work / "shape.jsonl"
            source.write_text(text)
            command = pack(options, source, work / "h.pbin", tokenizer=tokenizer)
            result = facts(command, "0,1")
            peak = peak_anonymous(command)
            print(f"{tokenizer}, {name}: {result['seconds']:.3f} s, largest RssAnon {peak:.0f} MiB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mortise")
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--tokenizer", default="byte")
    parser.add_argument("--modalities")
    parser.add_argument("--hf-folder")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--megabytes", type=float, default=25)
    parser.add_argument("--parts", nargs="+", default=["scaling", "cold", "memory", "index", "shapes"])
    parser.add_argument("--work", type=pathlib.Path)
    given = parser.parse_args()
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
    with tempfile.TemporaryDirectory(dir=given.work) as scratch:
        for part in given.parts:
            {"peer": peer, "scaling": scaling, "cold": cold, "memory": memory, "index": index, "shapes": shapes}[part](
                given, pathlib.Path(scratch))
