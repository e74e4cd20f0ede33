! SPDX-License-Identifier: Apache-2.0
!
! Each call as Fortran programs make it: with mpif.h and with the module mpi_f08, in place too.
! Prints nothing if all is right; counts what is wrong in the exit status.
module by_header
  implicit none
  include 'mpif.h'
contains
  subroutine try_header(wrong)
    integer, intent(inout) :: wrong
    integer, parameter :: n = 3000
    integer :: rank, ranks, error, i, r
    integer :: data(n)
    integer, allocatable :: all(:), counts(:), places(:), part(:), types(:), out(:)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    allocate(all(n * ranks), counts(ranks), places(ranks), part(n))

    data = merge(7, 0, rank == ranks - 1)
    call MPI_Bcast(data, n, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, error)
    if (error /= MPI_SUCCESS .or. any(data /= 7)) wrong = wrong + 1

    all = -1
    all(rank * n + 1 : (rank + 1) * n) = rank
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, all, n, MPI_INTEGER, MPI_COMM_WORLD, error)
    do r = 0, ranks - 1
      if (any(all(r * n + 1 : (r + 1) * n) /= r)) wrong = wrong + 1
    end do

    counts = [(i, i = 0, ranks - 1)]
    places = [(i * n, i = 0, ranks - 1)]
    data = rank + 100
    all = -1
    call MPI_Allgatherv(data, rank, MPI_INTEGER, all, counts, places, MPI_INTEGER, &
                        MPI_COMM_WORLD, error)
    do r = 0, ranks - 1
      if (any(all(r * n + 1 : r * n + r) /= r + 100)) wrong = wrong + 1
      if (any(all(r * n + r + 1 : (r + 1) * n) /= -1)) wrong = wrong + 1
    end do

    data = [(i + rank, i = 1, n)]
    if (rank == 0) then
      call MPI_Reduce(MPI_IN_PLACE, data, n, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD, error)
      if (any(data /= [(i + ranks - 1, i = 1, n)])) wrong = wrong + 1
    else
      call MPI_Reduce(data, part, n, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD, error)
    end if

    data = 1
    call MPI_Allreduce(MPI_IN_PLACE, data, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    if (any(data /= ranks)) wrong = wrong + 1

    all = 2
    counts = n
    call MPI_Reduce_scatter(all, part, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    if (any(part /= 2 * ranks)) wrong = wrong + 1
    part = 0
    call MPI_Reduce_scatter_block(all, part, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    if (any(part /= 2 * ranks)) wrong = wrong + 1

    allocate(out(n * ranks), types(ranks))
    all = [((rank * ranks + r, i = 1, n), r = 0, ranks - 1)]
    places = [(i * n, i = 0, ranks - 1)]
    call MPI_Alltoall(all, n, MPI_INTEGER, out, n, MPI_INTEGER, MPI_COMM_WORLD, error)
    if (any(out /= [((r * ranks + rank, i = 1, n), r = 0, ranks - 1)])) wrong = wrong + 1
    out = -1
    call MPI_Alltoallv(all, counts, places, MPI_INTEGER, out, counts, places, MPI_INTEGER, &
                       MPI_COMM_WORLD, error)
    if (any(out /= [((r * ranks + rank, i = 1, n), r = 0, ranks - 1)])) wrong = wrong + 1
    types = MPI_INTEGER
    places = 4 * places
    out = -1
    call MPI_Alltoallw(all, counts, places, types, out, counts, places, types, MPI_COMM_WORLD, error)
    if (any(out /= [((r * ranks + rank, i = 1, n), r = 0, ranks - 1)])) wrong = wrong + 1
    call MPI_Alltoallw(MPI_IN_PLACE, counts, places, types, all, counts, places, types, &
                       MPI_COMM_WORLD, error)
    if (any(all /= out)) wrong = wrong + 1

    places = [(i * n, i = 0, ranks - 1)]
    data = rank
    all = -1
    call MPI_Gather(data, n, MPI_INTEGER, all, n, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
    if (rank == 1 .and. any(all /= [((r, i = 1, n), r = 0, ranks - 1)])) wrong = wrong + 1
    all = -1
    call MPI_Gatherv(data, n, MPI_INTEGER, all, counts, places, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
    if (rank == 1 .and. any(all /= [((r, i = 1, n), r = 0, ranks - 1)])) wrong = wrong + 1
    part = -1
    call MPI_Scatter(all, n, MPI_INTEGER, part, n, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
    if (any(part /= rank)) wrong = wrong + 1
    part = -1
    call MPI_Scatterv(all, counts, places, MPI_INTEGER, part, n, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
    if (any(part /= rank)) wrong = wrong + 1

    data = 3
    call MPI_Scan(data, part, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    if (any(part /= 3 * (rank + 1))) wrong = wrong + 1
    call MPI_Exscan(MPI_IN_PLACE, data, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    if (rank > 0 .and. any(data /= 3 * rank)) wrong = wrong + 1
  end subroutine
end module

module by_module
  implicit none
contains
  subroutine try_module(wrong)
    use mpi_f08
    integer, intent(inout) :: wrong
    integer, parameter :: n = 3000
    integer :: rank, ranks, i
    double precision :: data(n)
    double precision, allocatable :: from(:), to(:)
    integer, allocatable :: counts(:), places(:)
    type(MPI_Datatype), allocatable :: types(:)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    data = rank
    call MPI_Bcast(data, n, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD)
    if (any(data /= ranks - 1)) wrong = wrong + 1
    data = 1
    call MPI_Allreduce(MPI_IN_PLACE, data, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    if (any(data /= ranks)) wrong = wrong + 1
    allocate(from(ranks), to(ranks), counts(ranks), places(ranks), types(ranks))
    from = [(rank * ranks + i, i = 1, ranks)]
    counts = 1
    places = [(8 * i, i = 0, ranks - 1)]
    types = MPI_DOUBLE_PRECISION
    call MPI_Alltoallw(from, counts, places, types, to, counts, places, types, MPI_COMM_WORLD)
    if (any(to /= [(i * ranks + rank + 1, i = 0, ranks - 1)])) wrong = wrong + 1
  end subroutine
end module

program fortran_calls
  use by_header
  use by_module
  implicit none
  interface
    ! Of tests/mpi/message_count.cpp, preloaded: messages sent so far.
    function pleat_messages_sent() bind(c) result(messages)
      use iso_c_binding, only: c_int64_t
      integer(c_int64_t) :: messages
    end function
  end interface
  integer :: wrong, error
  call MPI_Init(error)
  wrong = 0
  call try_header(wrong)
  call try_module(wrong)
  call MPI_Finalize(error)
  if (pleat_messages_sent() < 9) wrong = wrong + 1000  ! the calls were not ours
  if (wrong /= 0) then
    print *, wrong, 'results are wrong'
    stop 1
  end if
end program
