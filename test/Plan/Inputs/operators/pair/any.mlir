// The generic template: one grid axis over both request dims.
tile.kernel @any(%x: !tile.view<[B, T, H], !tile.dtype<DT>>,
                 %out: !tile.view<[B, T, H], !tile.dtype<DT>>)
    space {WARPS = [4], VEC = [1], PERSISTENT = [1]}
    grid ["B * T"] runtime ["B", "T", "H"]
    model {live = "4", passes = "2"} {
  tile.return
}
