// Two grid axes; T must be even, and not large.
tile.kernel @plane(%x: !tile.view<[B, T, H], !tile.dtype<DT>>,
                   %out: !tile.view<[B, T, H], !tile.dtype<DT>>)
    space {WARPS = [1, 4], VEC = [4]}
    where ["H mod VEC == 0", "T mod 2 == 0 and 2 * T <= 2001", "B * T >= 0 or H > 0"]
    grid ["T floordiv 2", "B"] runtime ["B", "T"]
    model {live = "2 * H ceildiv (WARPS * WAVE)", passes = "1",
           registers = "16 + 2 * H ceildiv (WARPS * WAVE)"} {
  tile.return
}
