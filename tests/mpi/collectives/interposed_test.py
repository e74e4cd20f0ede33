# SPDX-License-Identifier: Apache-2.0
"""Every function of an MPI's header is interposed by the preloaded library, or docs/non_blocking.md
names it among those that stop progress, or it waits for no other rank, which is said here. A name
that is new in a header is none of them: it fails until somebody has decided.

    interposed_test.py NM LIBRARY DOCUMENT COMPILER -I…
"""
import fnmatch
import re
import subprocess
import sys

nm, library, document, *compiler = sys.argv[1:]

# They wait for no other rank, or only for what a rank does without being in a call of MPI.
LOCAL = """
MPI_T_* MPI_Type_* MPI_Info_* MPI_Group_* MPI_Attr_* MPI_Keyval_* MPI_Status_* MPI_Errhandler_*
MPI_Error_* MPI_Address MPI_Get_* MPI_Pack* MPI_Unpack* MPI_Add_error_* MPI_Aint_* MPI_*_[cf]2[cf]*
MPI_*_c2f08 MPI_*_create_errhandler MPI_*_call_errhandler MPI_*_get_errhandler
MPI_*_set_errhandler MPI_*_create_keyval MPI_*_free_keyval MPI_*_get_attr MPI_*_set_attr
MPI_*_delete_attr MPI_*_get_info MPI_*_get_name MPI_*_set_name MPI_*_get_group
MPI_Abort MPI_Alloc_mem MPI_Free_mem MPI_Cancel MPI_Test_cancelled MPI_Finalized MPI_Initialized
MPI_Is_thread_main MPI_Query_thread MPI_Pcontrol MPI_Wtick MPI_Wtime
MPI_Op_commutative MPI_Op_create MPI_Op_create_c MPI_Reduce_local MPI_Reduce_local_c
MPI_Register_datarep MPI_Register_datarep_c MPI_Grequest_start MPI_Grequest_complete
MPI_Cart_coords MPI_Cart_get MPI_Cart_map MPI_Cart_rank MPI_Cart_shift MPI_Cartdim_get MPI_Dims_create
MPI_Graph_get MPI_Graph_map MPI_Graph_neighbors MPI_Graph_neighbors_count MPI_Graphdims_get
MPI_Dist_graph_neighbors MPI_Dist_graph_neighbors_count MPI_Topo_test
MPI_Comm_compare MPI_Comm_get_parent MPI_Comm_group MPI_Comm_rank MPI_Comm_remote_group
MPI_Comm_remote_size MPI_Comm_size MPI_Comm_test_inter MPI_Session_get_* MPI_Session_init
MPI_Open_port MPI_Close_port MPI_Lookup_name MPI_Publish_name MPI_Unpublish_name
MPI_File_delete MPI_File_get_* MPI_File_seek MPI_File_read MPI_File_read_c MPI_File_read_at
MPI_File_read_at_c MPI_File_read_shared MPI_File_read_shared_c MPI_File_write MPI_File_write_c
MPI_File_write_at MPI_File_write_at_c MPI_File_write_shared MPI_File_write_shared_c
MPI_Win_attach MPI_Win_detach MPI_Win_shared_query MPI_Win_shared_query_c MPI_Win_sync
MPI_Buffer_attach MPI_Buffer_attach_c MPI_Bsend MPI_Bsend_c MPI_Mrecv MPI_Mrecv_c MPI_Pready*
MPIX_Query_* MPIX_GPU_query_support MPIX_Delete_error_* MPIX_Grequest_*
MPIX_Comm_failure_* MPIX_Comm_revoke MPIX_Allgather* MPIX_Alltoall*
""".split()

# They return a request, or begin what a later call waits for.
BEGIN = """
MPI_Comm_idup MPI_Comm_idup_with_info MPI_I*send* MPI_Irecv* MPI_Imrecv* MPI_Ibarrier
MPI_Ineighbor_* MPI_*_init MPI_*_init_c MPI_File_iread* MPI_File_iwrite*
MPI_Put MPI_Put_c MPI_Get MPI_Accumulate MPI_Accumulate_c MPI_Compare_and_swap MPI_Fetch_and_op
MPI_Rput MPI_Rput_c MPI_Rget MPI_Rget_c MPI_R*accumulate MPI_R*accumulate_c
""".split()


def output(*command, given=None):
    return subprocess.run(command, input=given, check=True, capture_output=True, text=True).stdout


header = output(*compiler, "-E", "-x", "c", "-", given="#include <mpi.h>\n")
names = set(re.findall(r"\b(MPIX?_[A-Z]\w*)\s*\(", header)) - {"MPI_Aint"}
interposed = set(re.findall(r" T (MPIX?_\w+)", output(nm, "-D", library)))
with open(document, encoding="utf-8") as file:
    stops = re.search(r"## Calls that stop progress\n(.*?)(\n## |\Z)", file.read(), re.S)[1]
documented = re.findall(r"`(MPIX?_[\w*]+)`", stops)


def among(name, patterns):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


undecided = sorted(name for name in names - interposed
                   if not among(name, LOCAL + BEGIN + documented))
idle = sorted(pattern for pattern in documented
              if "*" not in pattern and pattern in LOCAL + BEGIN)
assert len(names) > 300, f"{len(names)} functions in mpi.h"
for name in undecided:
    print(f"{name}: neither interposed, nor in {document}, nor here")
for name in idle:
    print(f"{name}: named in {document} and here")
sys.exit(bool(undecided or idle))
