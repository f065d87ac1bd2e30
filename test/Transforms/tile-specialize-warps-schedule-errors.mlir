// RUN: lathe-opt %s --tile-specialize-warps --split-input-file --verify-diagnostics

// expected-error@+1 {{kernel is not specialized}}
tile.kernel @template(%x: !tile.view<[64], f32>) grid ["1"] attributes {schedule = {PRODUCERS = 4 : i64}} {
  tile.return
}

// -----

// expected-error@+1 {{warps of 64 threads cannot take roles, expected 32}}
tile.kernel @wave(%x: !tile.view<[64], f32>) grid ["1"]
    attributes {threads = 384 : i64, wave = 64 : i64, schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  tile.return
}

// -----

// expected-error@+1 {{schedule has PRODUCERS = 1, expected 0 or 4}}
tile.kernel @producers(%x: !tile.view<[64], f32>) grid ["1"]
    attributes {threads = 288 : i64, wave = 32 : i64, schedule = {WARPS = 8 : i64, PRODUCERS = 1 : i64, STAGES = 2 : i64}} {
  tile.return
}

// -----

// expected-error@+1 {{schedule has WARPS = 6, expected a multiple of 4 up to 28}}
tile.kernel @warps(%x: !tile.view<[64], f32>) grid ["1"]
    attributes {threads = 320 : i64, wave = 32 : i64, schedule = {WARPS = 6 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  tile.return
}

// -----

// expected-error@+1 {{kernel has 256 threads, expected 384 for WARPS and PRODUCERS}}
tile.kernel @threads(%x: !tile.view<[64], f32>) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  tile.return
}

// -----

// expected-error@+1 {{schedule has STAGES = 1, expected 2 to 64}}
tile.kernel @stages(%x: !tile.view<[64], f32>) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 1 : i64}} {
  tile.return
}

// -----

// expected-error@+1 {{schedule has PRODUCERS, but the kernel has no product whose operands they could copy}}
tile.kernel @nothing(%x: !tile.view<[64], f32>) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64}} {
  tile.return
}

// -----

// expected-error@+1 {{schedule has BLOCKS = 0, expected at least 1, and 40 registers for each thread of them all}}
tile.kernel @no_blocks(%x: !tile.view<[64], f32>) grid ["1"]
    attributes {threads = 384 : i64, wave = 32 : i64, schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, BLOCKS = 0 : i64}} {
  tile.return
}

// -----

// expected-error@+1 {{schedule has BLOCKS = 5, expected at least 1, and 40 registers for each thread of them all}}
tile.kernel @many_blocks(%x: !tile.view<[64], f32>) grid ["1"]
    attributes {threads = 384 : i64, wave = 32 : i64, schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, BLOCKS = 5 : i64}} {
  tile.return
}

// -----

// expected-error@+1 {{schedule has PINGPONG = 2, expected 0 or 1}}
tile.kernel @turns(%x: !tile.view<[64], f32>) grid ["1"]
    attributes {threads = 384 : i64, wave = 32 : i64, schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, PERSISTENT = 1 : i64, PINGPONG = 2 : i64}} {
  tile.return
}

// -----

// expected-error@+1 {{schedule has PINGPONG = 1, WARPS = 4 and PERSISTENT = 1, expected a multiple of 8 and 1}}
tile.kernel @few_warps(%x: !tile.view<[64], f32>) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, PERSISTENT = 1 : i64, PINGPONG = 1 : i64}} {
  tile.return
}

// -----

// expected-error@+1 {{schedule has PINGPONG = 1, WARPS = 8 and PERSISTENT = 0, expected a multiple of 8 and 1}}
tile.kernel @no_items(%x: !tile.view<[64], f32>) grid ["1"]
    attributes {threads = 384 : i64, wave = 32 : i64, schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, PINGPONG = 1 : i64}} {
  tile.return
}

// -----

// expected-error@+1 {{schedule has CLUSTER = 16, expected 1 to 8}}
tile.kernel @cluster(%x: !tile.view<[64], f32>) grid ["16"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, CLUSTER = 16 : i64}} {
  tile.return
}

// -----

// expected-error@+1 {{schedule has TEAMS = 2 and WARPS = 4, expected teams of whole warpgroups}}
tile.kernel @teams(%x: !tile.view<[64], f32>) grid ["1"]
    attributes {threads = 256 : i64, wave = 32 : i64, schedule = {WARPS = 4 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, TEAMS = 2 : i64}} {
  tile.return
}

// -----

// expected-error@+1 {{schedule has TEAMS, expected no PINGPONG and no TURNS beside it}}
tile.kernel @teams_in_turn(%x: !tile.view<[64], f32>) grid ["1"]
    attributes {threads = 384 : i64, wave = 32 : i64, schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 2 : i64, TEAMS = 2 : i64, TURNS = 1 : i64}} {
  tile.return
}

// -----

// expected-error@+1 {{schedule has STAGES = 0, expected 1 to 32}}
tile.kernel @teams_stages(%x: !tile.view<[64], f32>) grid ["1"]
    attributes {threads = 384 : i64, wave = 32 : i64, schedule = {WARPS = 8 : i64, PRODUCERS = 4 : i64, STAGES = 0 : i64, TEAMS = 2 : i64}} {
  tile.return
}
