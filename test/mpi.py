#===- mpi.py - which MPI tests run with -----------------------------------===//
#
# Part of Verso, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===------------------------------------------------------------------------===//
"""Which MPI there is for programs with PROCESSES (verso_program.py)."""

import os
import shutil


def find():
    """How programs of MPI are compiled, linked and run: MPICH, or Open MPI."""
    system = "/usr/lib/x86_64-linux-gnu"
    mpich = "/usr/include/x86_64-linux-gnu/mpich"
    openmpi = system + "/openmpi"
    if os.path.exists(mpich + "/mpi.h") and shutil.which("mpiexec.mpich"):
        # Open MPI's mpif.h is one for gfortran.
        fortran = system + "/libmpichfort.so"
        return {"flags": ["-isystem", mpich], "libs": ["-lmpich"],
                "fortran": (["-I" + mpich, "-lmpichfort", "-lmpich"]
                            if os.path.exists(fortran) else []),
                "run": ["mpiexec.mpich"]}
    if (os.path.exists(openmpi + "/include/mpi.h")
            and shutil.which("mpiexec.openmpi")):
        return {"flags": ["-isystem", openmpi + "/include"],
                "libs": ["-L" + openmpi + "/lib", "-lmpi"],
                "run": ["mpiexec.openmpi", "--allow-run-as-root",
                        "--oversubscribe"]}
    return None
