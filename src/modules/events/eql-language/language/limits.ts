/** What a query may hold (DECISIONS 17, Limits). */
export const QUERY_LIMITS = {
  /** Characters of a query. */
  characters: 10_000,
  /** Fields, values, operators and functions; values in lists are counted apart. */
  nodes: 1_000,
  /** Brackets, functions and signs within each other. */
  depth: 50,
  /** Values in lists together. */
  listed_literals: 1_000,
  /** Stages of a sequence as it is written; one alone only with runs. */
  sequence_stages: 20,
  /** Stages once runs are spelled out. */
  spelled_stages: 100,
  runs: 100,
  sample_terms_min: 2,
  sample_terms: 5,
  keys: 10,
  pipes: 10,
  /** What a pipe may leave. */
  pipe_results: 999_999_999,
  maxspan_days: 30,
  /** Characters of a pattern. */
  pattern_characters: 512,
  /** Regular expressions of a query together, in operations on words for each character they look at. */
  regex_steps: 5_000,
  /** Characters of a text that regular expressions look at. */
  regex_searched_characters: 4_096,
  /** Characters of a name, and names in a path. */
  field_characters: 200,
  path_names: 16,
  /** In a list, counted from 0. */
  places: 1_000_000,
} as const;

/** What a request may ask for. */
export const REQUEST_LIMITS = { limit: 1_000, max_samples_per_key: 100 } as const;
