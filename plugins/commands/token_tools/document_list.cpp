#include "document_list.hpp"

namespace mortise::token_tools {

std::vector<DocumentPlace> documents_of(const std::vector<Input>& inputs,
                                        std::optional<std::int64_t> end_id) {
  std::vector<DocumentPlace> places;
  for (std::size_t i = 0; i != inputs.size(); ++i)
    each_document(inputs[i], end_id, [&](token_files::TokenSpan span) {
      places.push_back({i, span});
    });
  return places;
}

}  // namespace mortise::token_tools
