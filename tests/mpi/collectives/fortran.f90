! SPDX-License-Identifier: Apache-2.0
!
! Each call as Fortran programs make it: with mpif.h and with the module mpi_f08, in place too.
! The compiler gets the name of persistent calls' functions: PLEAT_INIT(Bcast).
! Prints nothing if all is right; counts what is wrong in the exit status.
module counted
  implicit none
  interface
    ! Of tests/mpi/message_count.cpp, preloaded: messages sent so far.
    function pleat_messages_sent() bind(c) result(messages)
      use iso_c_binding, only: c_int64_t
      integer(c_int64_t) :: messages
    end function
  end interface
end module

module by_header
  use counted
  implicit none
  include 'mpif.h'
contains
  ! Calls on a communicator that a call of Fortran has made are ours.
  subroutine try_made(wrong)
    integer, intent(inout) :: wrong
    integer :: copy, half, rank, error, n
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, error)
    call MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, half, error)
    n = int(pleat_messages_sent())
    call MPI_Bcast(error, 1, MPI_INTEGER, 0, copy, error)
    if (rank == 0 .and. pleat_messages_sent() == n) wrong = wrong + 1
    n = int(pleat_messages_sent())
    call MPI_Bcast(error, 1, MPI_INTEGER, 0, half, error)
    if (rank == 0 .and. pleat_messages_sent() == n) wrong = wrong + 1
    call MPI_Comm_free(copy, error)
    call MPI_Comm_free(half, error)
  end subroutine

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

  ! A sum is pending, for which the last rank waits before rank 0 gets from it what it waits for,
  ! each time in another call.
  subroutine try_waiting(wrong)
    integer, intent(inout) :: wrong
    integer, parameter :: n = 3000, ways = 16
    integer :: rank, ranks, error, way, last, position, number, type, other
    integer :: pending, requests(2), indices(2), status(MPI_STATUS_SIZE)
    integer :: statuses(MPI_STATUS_SIZE, 2), data(n), total(n), sent(n), got(n)
    logical :: flag
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    last = ranks - 1
    do way = 1, ways
      data = rank
      total = -1
      sent = 10 * way + rank
      got = merge(10 * way + last, 10 * way, rank == 0)
      call MPI_Type_contiguous(n, MPI_INTEGER, type, error)
      call MPI_Type_commit(type, error)
      call MPI_Iallreduce(data, total, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, pending, error)
      if (rank > 0) call MPI_Wait(pending, status, error)
      if (way <= 10 .and. rank == last) then
        call MPI_Send(sent, 1, type, 0, 1, MPI_COMM_WORLD, error)
      else if (way <= 10 .and. rank == 0) then
        got = -1
        requests = MPI_REQUEST_NULL
        if (way > 3) call MPI_Irecv(got, 1, type, last, 1, MPI_COMM_WORLD, requests(2), error)
        flag = .false.
        number = 0
        select case (way)
        case (1)
          call MPI_Recv(got, 1, type, last, 1, MPI_COMM_WORLD, status, error)
          if (status(MPI_SOURCE) /= last) wrong = wrong + 1
        case (2)
          call MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, status, error)
          call MPI_Recv(got, 1, type, status(MPI_SOURCE), 1, MPI_COMM_WORLD, status, error)
        case (3)
          do while (.not. flag)
            call MPI_Iprobe(last, 1, MPI_COMM_WORLD, flag, status, error)
          end do
          call MPI_Recv(got, 1, type, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        case (4)
          call MPI_Wait(requests(2), MPI_STATUS_IGNORE, error)
        case (5)
          call MPI_Waitall(2, requests, statuses, error)
          if (statuses(MPI_TAG, 2) /= 1) wrong = wrong + 1
        case (6)
          call MPI_Waitany(2, requests, position, status, error)
          if (position /= 2 .or. status(MPI_SOURCE) /= last) wrong = wrong + 1
        case (7)
          call MPI_Waitsome(2, requests, number, indices, statuses, error)
          if (number /= 1 .or. indices(1) /= 2) wrong = wrong + 1
        case (8)
          do while (.not. flag)
            call MPI_Test(requests(2), flag, status, error)
          end do
        case (9)
          do while (.not. flag)
            call MPI_Testany(2, requests, position, flag, status, error)
          end do
          if (position /= 2) wrong = wrong + 1
        case (10)
          do while (number == 0)
            call MPI_Testsome(2, requests, number, indices, statuses, error)
          end do
        end select
      else if (way <= 13 .and. (rank == 0 .or. rank == last)) then
        other = last - rank
        got = sent
        select case (way)
        case (11)
          got = -1
          call MPI_Sendrecv(sent, n, MPI_INTEGER, other, 2, got, 1, type, other, 2, &
                            MPI_COMM_WORLD, status, error)
        case (12)
          call MPI_Sendrecv_replace(got, 1, type, other, 2, other, 2, MPI_COMM_WORLD, status, error)
        case (13)
          if (rank == 0) call MPI_Ssend(sent, 1, type, other, 2, MPI_COMM_WORLD, error)
          if (rank == last) call MPI_Recv(got, 1, type, 0, 2, MPI_COMM_WORLD, status, error)
          if (rank == 0) got = 10 * way + last
        end select
      else if (way == 14) then
        call MPI_Barrier(MPI_COMM_WORLD, error)
      else if (way == 15) then
        call MPI_Comm_dup(MPI_COMM_WORLD, other, error)
        call MPI_Comm_free(other, error)
      else if (way == 16) then
        call MPI_Bcast(got, n, MPI_INTEGER, last, MPI_COMM_WORLD, error)
      end if
      call MPI_Type_free(type, error)
      if (way < 14 .and. any(got /= merge(10 * way + last, 10 * way, rank == 0))) wrong = wrong + 1
      if (rank == 0) call MPI_Wait(pending, MPI_STATUS_IGNORE, error)
      if (any(total /= ranks * (ranks - 1) / 2)) wrong = wrong + 100
    end do
  end subroutine

  subroutine try_requests(wrong)
    integer, intent(inout) :: wrong
    integer, parameter :: n = 3000
    integer :: rank, ranks, error, i, r, turn
    integer :: requests(3), data(n)
    integer, allocatable :: from(:), all(:), out(:), counts(:), places(:), types(:)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    allocate(from(n * ranks), all(n * ranks), out(n * ranks))
    allocate(counts(ranks), places(ranks), types(ranks))
    counts = n
    places = [(4 * n * i, i = 0, ranks - 1)]
    types = MPI_INTEGER
    from = [((rank * ranks + r, i = 1, n), r = 0, ranks - 1)]
    all = rank
    data = merge(7, 0, rank == 1)
    call MPI_Ibcast(data, n, MPI_INTEGER, 1, MPI_COMM_WORLD, requests(1), error)
    call MPI_Ialltoallw(from, counts, places, types, out, counts, places, types, MPI_COMM_WORLD, &
                        requests(2), error)
    types = 0
    call MPI_Iallgather(MPI_IN_PLACE, 0, MPI_INTEGER, all, n, MPI_INTEGER, MPI_COMM_WORLD, &
                        requests(3), error)
    call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, error)
    if (any(data /= 7)) wrong = wrong + 1
    if (any(out /= [((r * ranks + rank, i = 1, n), r = 0, ranks - 1)])) wrong = wrong + 1
    if (any(all /= [((r, i = 1, n), r = 0, ranks - 1)])) wrong = wrong + 1

    call PLEAT_INIT(Bcast)(data, n, MPI_INTEGER, 2, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1), error)
    call PLEAT_INIT(Alltoall)(from, n, MPI_INTEGER, out, n, MPI_INTEGER, MPI_COMM_WORLD, &
                              MPI_INFO_NULL, requests(2), error)
    do turn = 1, 3
      data = merge(turn, 0, rank == 2)
      out = 0
      if (mod(rank + turn, 2) == 0) then
        call MPI_Startall(2, requests, error)
      else
        call MPI_Start(requests(2), error)
        call MPI_Start(requests(1), error)
      end if
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
      if (any(data /= turn)) wrong = wrong + 1
      if (any(out /= [((r * ranks + rank, i = 1, n), r = 0, ranks - 1)])) wrong = wrong + 1
    end do
    call MPI_Request_free(requests(1), error)
    call MPI_Request_free(requests(2), error)
  end subroutine
end module

module by_module
  use counted
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
    type(MPI_Request) :: request
    type(MPI_Comm) :: copy
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    data = rank
    call MPI_Bcast(data, n, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD)
    if (any(data /= ranks - 1)) wrong = wrong + 1
    data = 1
    call MPI_Allreduce(MPI_IN_PLACE, data, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    if (any(data /= ranks)) wrong = wrong + 1
    data = rank
    call MPI_Ibcast(data, n, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (any(data /= 0)) wrong = wrong + 1
    call MPI_Comm_dup(MPI_COMM_WORLD, copy)
    i = int(pleat_messages_sent())
    call MPI_Bcast(data, n, MPI_DOUBLE_PRECISION, 0, copy)
    if (rank == 0 .and. pleat_messages_sent() == i) wrong = wrong + 1
    call MPI_Comm_free(copy)
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
  integer :: wrong, error
  call MPI_Init(error)
  wrong = 0
  call try_header(wrong)
  call try_made(wrong)
  call try_waiting(wrong)
  call try_requests(wrong)
  call try_module(wrong)
  call MPI_Finalize(error)
  if (pleat_messages_sent() < 9) wrong = wrong + 1000  ! the calls were not ours
  if (wrong /= 0) then
    print *, wrong, 'results are wrong'
    stop 1
  end if
end program
