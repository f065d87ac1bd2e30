# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import shutil

import lit.formats

config.name = "lathe"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll", ".mlir", ".test"]
config.excludes = ["Inputs", "Unit", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.lathe_build_dir, "test")

tool_dirs = [os.path.join(config.lathe_build_dir, "bin"), config.llvm_tools_dir]
path = os.pathsep.join(tool_dirs + [os.environ.get("PATH", "")])
config.environment["PATH"] = path
config.environment["FILECHECK_OPTS"] = "-enable-var-scope"
# Nothing that a user keeps may change what the tests see.
config.environment["HOME"] = config.test_exec_root
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")

config.substitutions.append(("%source_dir", config.lathe_source_dir))
config.substitutions.append(("%build_dir", config.lathe_build_dir))
# To be put into LD_LIBRARY_PATH; test/Measure/Fake/README.md.
config.substitutions.append(
    ("%fake_cuda", os.path.join(config.lathe_build_dir, "fake-cuda")))
config.substitutions.append(("%llvm_lib_dir", config.llvm_lib_dir))
config.substitutions.append(("%shlibext", config.shlib_suffix))
config.substitutions.append(("%python", config.python))

# References run on the host: a test is appended to the reference that it calls.
host_passes = (
    "convert-vector-to-scf,convert-scf-to-cf,arith-expand{include-bf16=true},"
    "convert-vector-to-llvm,expand-strided-metadata,lower-affine,finalize-memref-to-llvm,convert-math-to-llvm,"
    "convert-arith-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts"
)
runner_library = f"{config.llvm_lib_dir}/libmlir_c_runner_utils{config.shlib_suffix}"
config.substitutions.append(
    ("%run_on_host",
     f"mlir-opt --pass-pipeline='builtin.module({host_passes})' | "
     f"mlir-runner -e main -entry-point-result=void -shared-libs={runner_library}"))
# Keeps the body of a module only, to be joined with other text.
config.substitutions.append(("%module_body", "sed -e '/^module {/d' -e '/^}/d'"))

# Upstream's serialization of a lowered gpu.module, as text with real line ends.
for name, attach in (
    ("%ptx_of", "nvvm-attach-target{chip=sm_90a features=+ptx86 O=3}"),
    ("%gcn_of", "rocdl-attach-target{chip=gfx942 O=3}"),
):
    config.substitutions.append(
        (name,
         f"mlir-opt --pass-pipeline='builtin.module({attach},gpu-module-to-binary{{format=isa}})' | "
         r"sed -e 's/\\0A/\n/g' -e 's/\\09/ /g'"))


def find_ptxas():
    roots = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    candidates = [os.path.join(root, "bin", "ptxas") for root in roots if root]
    return next((c for c in candidates if os.access(c, os.X_OK)), shutil.which("ptxas"))


if ptxas := find_ptxas():
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
    prefix = os.path.dirname(os.path.dirname(ptxas))
    if any(os.path.exists(os.path.join(prefix, folder, "libnvrtc.so"))
           for folder in ("lib64", "lib", "targets/x86_64-linux/lib")):
        config.available_features.add("nvrtc")
    path = os.pathsep.join([path, os.path.dirname(ptxas)])
    config.environment["PATH"] = path
if os.path.exists("/dev/nvidia0") or os.path.exists("/dev/kfd"):
    config.available_features.add("gpu")
for tool in ("lathe", "lathe-opt", "mlir-runner"):
    if shutil.which(tool, path=path):
        config.available_features.add(tool)
for name in ("CUDA_HOME", "CUDA_PATH", "ROCM_PATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
