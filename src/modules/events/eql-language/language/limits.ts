/** The limits of a query. A query beyond a limit is refused with 422. */
export const QUERY_LIMITS = {
  /** Characters of a query. */
  characters: 10_000,
  /** Fields, values, operators and functions, without the values in lists. */
  nodes: 1_000,
  /** The nesting of brackets, functions and signs. */
  depth: 50,
  /** The values of all lists together. */
  listed_literals: 1_000,
  /** Stages of a sequence as written. A sequence with a single stage needs runs. */
  sequence_stages: 20,
  /** Stages of a sequence after its runs are expanded. */
  spelled_stages: 100,
  runs: 100,
  sample_terms_min: 2,
  sample_terms: 5,
  keys: 10,
  pipes: 10,
  /** The largest count that `head` and `tail` accept. */
  pipe_results: 999_999_999,
  maxspan_days: 30,
  /** Characters of a pattern. */
  pattern_characters: 512,
  /** The cost of all regular expressions of a query, in operations on words for each character. */
  regex_steps: 5_000,
  /** Regular expressions search only this many first characters of a text. */
  regex_searched_characters: 4_096,
  /** Characters of a whole path, including its dots, and names in a path. */
  field_characters: 200,
  path_names: 16,
  /** An index in a list, from 0, must be below this number. */
  places: 1_000_000,
} as const;

/** The limits of the parameters of a request. */
export const REQUEST_LIMITS = { limit: 1_000, max_samples_per_key: 100 } as const;
