// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include <pleat/runtime/error.hpp>

namespace pleat {

namespace {

std::string text(std::size_t n) { return std::to_string(n); }

std::string reason(const std::exception_ptr& cause) {
  try {
    std::rethrow_exception(cause);
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

}  // namespace

label_mismatch::label_mismatch(std::size_t rank_, unsigned label_, std::size_t other_rank_,
                               unsigned other_label_)
    : run_error("label mismatch: VP " + text(rank_) + " waits at sync(" + text(label_) +
                ") and VP " + text(other_rank_) + " of the same " + text(label_) +
                "-cluster at sync(" + text(other_label_) +
                "), so neither can go on; all VPs of a cluster must perform " + "the same labels"),
      rank(rank_),
      other_rank(other_rank_),
      label(label_),
      other_label(other_label_) {}

out_of_cluster::out_of_cluster(std::size_t source_, std::size_t destination_, unsigned label_,
                               unsigned shared_)
    : run_error("message out of its cluster: VP " + text(source_) + " sent to VP " +
                text(destination_) + " in a " + text(label_) + "-superstep, but sync(" +
                text(label_) + ") does not join them; end the superstep " + "with sync(" +
                text(shared_) + ") or a coarser one"),
      source(source_),
      destination(destination_),
      label(label_),
      shared(shared_) {}

lent_memory_modified::lent_memory_modified(std::size_t owner_, std::size_t borrower_)
    : run_error("lent memory modified: VP " + text(owner_) + " wrote to memory it had lent to VP " +
                text(borrower_) +
                " before the barrier that ends the loan; write after it, or send " + "a copy"),
      owner(owner_),
      borrower(borrower_) {}

vp_failed::vp_failed(std::size_t rank_, std::size_t size, std::string where,
                     std::exception_ptr cause)
    : run_error("VP " + text(rank_) + " of M(" + text(size) + ") failed " + where + ": " +
                reason(cause)),
      rank(rank_),
      cause_(std::move(cause)) {}

vp_failed::vp_failed(std::size_t rank_, const std::string& words, std::exception_ptr cause)
    : run_error(words), rank(rank_), cause_(std::move(cause)) {}

}  // namespace pleat
