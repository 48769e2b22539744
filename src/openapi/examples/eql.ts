import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  getEqlLanguage: {
    answer: {
      type: 'application/json',
      value: {
        version: '1',
        categories: ['http.request'],
        fields: [
          { name: 'event', type: 'text', is_property: false },
          { name: 'source', type: 'text', is_property: false },
        ],
        keywords: ['and', 'any', 'by', 'false'],
        operators: [
          { name: 'Orders', description: 'Equal, exactly; with null: missing' },
          { name: 'Payments', description: 'Not equal; with null: there' },
        ],
        functions: [
          {
            name: 'add',
            arguments: [
              { name: 'left', type: 'number', is_optional: false, is_variadic: false },
              { name: 'right', type: 'number', is_optional: false, is_variadic: false },
            ],
            returns: 'number',
            has_case_insensitive_form: false,
            description: 'left + right',
          },
          {
            name: 'between',
            arguments: [
              { name: 'source', type: 'text', is_optional: false, is_variadic: false },
              { name: 'left', type: 'text', is_optional: false, is_variadic: false },
            ],
            returns: 'text',
            has_case_insensitive_form: true,
            description: 'The text behind the first left, up to the next right; greedy: up to the last right',
          },
        ],
        pipes: ['head', 'tail'],
        limits: {
          characters: 10000,
          nodes: 1000,
          depth: 50,
          listed_literals: 1000,
          sequence_stages: 20,
          spelled_stages: 100,
          runs: 100,
          sample_terms_min: 2,
          sample_terms: 5,
          keys: 10,
          maxspan_days: 30,
          pattern_characters: 512,
          regex_steps: 5000,
          regex_searched_characters: 4096,
          field_characters: 200,
          path_names: 16,
          limit: 1000,
          max_samples_per_key: 100,
          seconds: 8,
          turn_seconds: 2,
          at_once: 2,
          at_once_of_project: 1,
          pending_partials: 200000,
        },
      },
    },
  },
  runEqlQuery: {
    request: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        query: 'sequence by user with maxspan=1m [login.failed where true] ![login.succeeded where true]',
        from_ts: '2026-01-01T00:00:00.000Z',
        to_ts: '2026-01-01T01:00:00.000Z',
      },
    },
    answer: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        project_name: 'Tea House',
        from_ts: '2026-01-01T00:00:00.000Z',
        to_ts: '2026-01-01T01:00:00.000Z',
        kind: 'sequences',
        scanned: 8,
        warnings: [],
        took_ms: 22,
        events: [],
        sequences: [
          {
            join_keys: ['bob'],
            events: [
              {
                id: '019cadc6-9a80-709b-8000-000000000001',
                project_id: '019cadc6-9a80-7244-8000-000000000001',
                source_id: null,
                api_key_id: null,
                event: 'login.failed',
                source: 'web',
                severity: null,
                status: null,
                environment: null,
                message: null,
                external_event_id: null,
                properties: { n: 'f2', ip: '10.1.2.4', tags: ['vpn', 'new'], user: 'bob', tries: 1 },
                timestamp: '2026-01-01T00:00:10.000Z',
                created_at: '2026-01-01T00:00:10.000Z',
              },
              { missing: true },
            ],
          },
        ],
        has_more: false,
      },
    },
  },
};
