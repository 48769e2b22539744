import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  listObjects: {
    answer: {
      type: 'application/json',
      value: {
        items: [
          {
            id: '019cadc6-9a80-7295-8000-000000000001',
            project_id: '019cadc6-9a80-7244-8000-000000000001',
            key: 'a/1',
            size: 3,
            content_type: 'text/plain',
            etag: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
            sha256: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
            metadata: {},
            version: 1,
            created_by: '019cadc6-9a80-704f-8000-000000000001',
            created_at: '2026-03-02T00:43:51.000Z',
            updated_at: '2026-03-02T00:43:51.000Z',
          },
        ],
        prefixes: [],
        next_after: 'T3BhcXVlQ3Vyc29y',
      },
    },
  },
  uploadObject: {
    request: {
      type: 'application/octet-stream',
      value:
        "fetch('https://api.acme.example/js');fetch('/health').then((r)=>r.text()).then((t)=>fetch('https://api.acme.example/js?'+t));new Image().src='https://api.acme.example/js';",
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7295-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        key: 'active-5',
        size: 165,
        content_type: 'text/javascript',
        etag: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
        sha256: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
        metadata: {},
        version: 1,
        created_by: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T00:55:32.000Z',
        updated_at: '2026-03-02T00:55:32.000Z',
      },
    },
  },
  getObject: {
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7295-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        key: 'active-0',
        size: 246,
        content_type: 'text/html',
        etag: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
        sha256: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
        metadata: {},
        version: 1,
        created_by: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T00:55:31.000Z',
        updated_at: '2026-03-02T00:55:31.000Z',
        download_url:
          'https://api.acme.example/v1/core/objects/019cadc6-9a80-7295-8000-000000000001/content?expires=1772413231&disposition=inline&key=local&signature=Example-download-url-0000000000000000000000',
        download_url_expires_at: '2026-03-02T01:00:31.000Z',
      },
    },
  },
  updateObject: {
    request: { type: 'application/json', value: { key: 'new', content_type: 'text/csv', metadata: { a: 'b' } } },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7295-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        key: 'new',
        size: 7,
        content_type: 'text/csv',
        etag: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
        sha256: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
        metadata: { a: 'b' },
        version: 1,
        created_by: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T00:44:00.000Z',
        updated_at: '2026-03-02T00:44:00.000Z',
      },
    },
  },
  deleteObject: {},
  downloadObject: { answer: { type: '*/*', value: '0123456789' } },
  createUpload: {
    request: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        key: 'a/b.bin',
        size: 10485767,
        part_size: 5242880,
        content_type: 'image/png',
        metadata: { a: 'b' },
      },
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7ff4-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        key: 'a/b.bin',
        size: 10485767,
        content_type: 'image/png',
        metadata: { a: 'b' },
        part_size: 5242880,
        part_count: 3,
        parts: [
          {
            part_number: 1,
            size: 5242880,
            url: 'https://api.acme.example/v1/core/uploads/019cadc6-9a80-7ff4-8000-000000000001/parts/1?expires=1772499303&key=local&signature=Example-url-0000000000000000000000000000000',
          },
          {
            part_number: 2,
            size: 5242880,
            url: 'https://api.acme.example/v1/core/uploads/019cadc6-9a80-7ff4-8000-000000000001/parts/2?expires=1772499303&key=local&signature=Example-url-0000000000000000000000000000000',
          },
        ],
        status: 'open',
        created_at: '2026-03-02T00:55:03.000Z',
        expires_at: '2026-03-03T00:55:03.000Z',
      },
    },
  },
  abortUpload: {},
  completeUpload: {
    request: {
      type: 'application/json',
      value: {
        parts: [
          { part_number: 1, etag: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef' },
          { part_number: 2, etag: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef' },
        ],
      },
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7ff4-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        key: 'a/b.bin',
        size: 10485767,
        content_type: 'image/png',
        etag: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef-3',
        sha256: null,
        metadata: { a: 'b' },
        version: 1,
        created_by: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T00:55:03.000Z',
        updated_at: '2026-03-02T00:55:03.000Z',
      },
    },
  },
  uploadPart: {
    request: { type: 'application/octet-stream', value: '0123456789' },
    answer: {
      type: 'application/json',
      value: {
        upload_id: '019cadc6-9a80-7ff4-8000-000000000001',
        part_number: 1,
        size: 10,
        etag: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
      },
    },
  },
  getStorageUsage: {
    answer: {
      type: 'application/json',
      value: {
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        plan: 'free',
        month: '2026-03',
        from_day: '2026-03-01',
        to_day: '2026-04-01',
        reset_day: '2026-04-01',
        max_file_bytes: 524288000,
        is_metered: false,
        storage: {
          bytes_used: 0,
          bytes_reserved: 3,
          bytes_limit: 10737418240,
          bytes_remaining: 10737418237,
          is_near_limit: false,
          objects: 0,
        },
        bandwidth: { bytes_used: 0, bytes_limit: 21474836480, bytes_remaining: 21474836480, is_near_limit: false },
        project: { bytes_used: 0, objects: 0, bandwidth_bytes_used: 0 },
      },
    },
  },
};
