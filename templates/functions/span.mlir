// What BM of `queries` from `query` on see of `keys`, in tiles of BN keys from the last
// to the first: the key that is the first row's own, and so on; whether rows see no more
// than up to theirs; how many keys some row sees; how many tiles up to the last of those;
// the first tile; behind how many turns all rows see all of a tile; and how many turns.
func.func private @span(%queries: i32, %keys: i32, %query: i32)
    -> (i32, i1, i32, i32, i32, i32, i32) {
  %none = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i32
  %bm_size = tile.size "BM"
  %bn_size = tile.size "BN"
  %bm = arith.index_cast %bm_size : index to i32
  %bn = arith.index_cast %bn_size : index to i32
  %mask = tile.size "mask"
  %always_causal = arith.cmpi ne, %mask, %c0 : index
  %is_square = arith.cmpi eq, %queries, %keys : i32
  %causal = arith.ori %always_causal, %is_square : i1
  %more_keys = arith.subi %keys, %queries : i32
  %offset = arith.select %always_causal, %more_keys, %none : i32
  %place = arith.addi %query, %offset : i32
  %next_place = arith.addi %place, %bm : i32
  %past = arith.minsi %keys, %next_place : i32
  %any_past = arith.maxsi %past, %none : i32
  %seen = arith.select %causal, %any_past, %keys : i32
  %tiles = arith.ceildivui %seen, %bn : i32
  %window_size = tile.size "select(mask == 1, WINDOW, 0)"
  %window = arith.index_cast %window_size : index to i32
  %has_window = arith.cmpi ne, %window, %none : i32
  %after_place = arith.addi %place, %c1 : i32
  %first_recent = arith.subi %after_place, %window : i32
  %first_seen = arith.maxsi %first_recent, %none : i32
  %first_tile = arith.divui %first_seen, %bn : i32
  %first = arith.select %has_window, %first_tile, %none : i32
  // Before this tile all rows see all keys; the last tile is masked anyhow.
  %some_after = arith.maxsi %after_place, %none : i32
  %open_tiles = arith.divui %some_after, %bn : i32
  %last = arith.subi %tiles, %c1 : i32
  %open_before = arith.minsi %open_tiles, %last : i32
  %causal_open = arith.select %has_window, %first, %open_before : i32
  %open = arith.select %causal, %causal_open, %last : i32
  %edges = arith.subi %tiles, %open : i32
  %turns = arith.subi %tiles, %first : i32
  return %place, %causal, %seen, %tiles, %first, %edges, %turns : i32, i1, i32, i32, i32, i32, i32
}
