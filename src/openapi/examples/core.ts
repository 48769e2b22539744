import type { Examples } from './example.js';

/** Recorded: made by `scripts/choose-examples.mjs`. */
export const EXAMPLES: Examples = {
  listObjects: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001', prefix: 'reports/', delimiter: '/' },
    answer: {
      type: 'application/json',
      value: {
        items: [
          {
            id: '019cadc6-9a80-7295-8000-000000000001',
            project_id: '019cadc6-9a80-7244-8000-000000000001',
            key: 'reports/2026-03.csv',
            size: 52,
            content_type: 'text/csv',
            etag: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
            sha256: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
            metadata: {},
            version: 1,
            created_by: '019cadc6-9a80-704f-8000-000000000001',
            created_at: '2026-03-02T04:10:43.000Z',
            updated_at: '2026-03-02T04:10:43.000Z',
          },
        ],
        prefixes: ['reports/2026/'],
        next_after: null,
      },
    },
  },
  uploadObject: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001', key: 'reports/2026-02.csv' },
    request: { type: 'application/octet-stream', value: 'order,amount,currency\n1042,49.90,EUR\n1043,18.00,EUR\n' },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7295-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        key: 'reports/2026-02.csv',
        size: 52,
        content_type: 'text/csv',
        etag: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
        sha256: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
        metadata: {},
        version: 1,
        created_by: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T04:10:43.000Z',
        updated_at: '2026-03-02T04:10:43.000Z',
      },
    },
  },
  getObject: {
    parameters: { expires_in: 600, object_id: '019cadc6-9a80-7295-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7295-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        key: 'reports/2026-02.csv',
        size: 52,
        content_type: 'text/csv',
        etag: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
        sha256: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
        metadata: {},
        version: 1,
        created_by: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T04:10:43.000Z',
        updated_at: '2026-03-02T04:10:43.000Z',
        download_url:
          'https://api.acme.example/v1/core/objects/019cadc6-9a80-7295-8000-000000000001/content?expires=1772425243&disposition=attachment&key=local&signature=Example-download-url-0000000000000000000000',
        download_url_expires_at: '2026-03-02T04:20:43.000Z',
      },
    },
  },
  updateObject: {
    parameters: { object_id: '019cadc6-9a80-7295-8000-000000000001' },
    request: {
      type: 'application/json',
      value: { key: 'reports/2026/february.csv', metadata: { month: '2026-02', made_by: 'weekly-report' } },
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7295-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        key: 'reports/2026/february.csv',
        size: 52,
        content_type: 'text/csv',
        etag: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
        sha256: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
        metadata: { month: '2026-02', made_by: 'weekly-report' },
        version: 1,
        created_by: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T04:10:43.000Z',
        updated_at: '2026-03-02T04:10:43.000Z',
      },
    },
  },
  deleteObject: { parameters: { object_id: '019cadc6-9a80-7295-8000-000000000001' } },
  downloadObject: {
    parameters: {
      object_id: '019cadc6-9a80-7295-8000-000000000001',
      expires: '1772425243',
      disposition: 'attachment',
      key: 'local',
      signature: 'Example-signature-0000000000000000000000000',
    },
    answer: { type: '*/*', value: 'order,amount,currency\n1042,49.90,EUR\n1043,18.00,EUR\n' },
  },
  createUpload: {
    request: {
      type: 'application/json',
      value: {
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        key: 'films/teapot.mp4',
        content_type: 'video/mp4',
        part_size: 5242880,
        metadata: { product: 'teapot' },
        size: 5242892,
      },
    },
    answer: {
      type: 'application/json',
      value: {
        id: '019cadc6-9a80-7ff4-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        key: 'films/teapot.mp4',
        size: 5242892,
        content_type: 'video/mp4',
        metadata: { product: 'teapot' },
        part_size: 5242880,
        part_count: 2,
        parts: [
          {
            part_number: 1,
            size: 5242880,
            url: 'https://api.acme.example/v1/core/uploads/019cadc6-9a80-7ff4-8000-000000000001/parts/1?expires=1772511044&key=local&signature=Example-url-0000000000000000000000000000000',
          },
          {
            part_number: 2,
            size: 12,
            url: 'https://api.acme.example/v1/core/uploads/019cadc6-9a80-7ff4-8000-000000000001/parts/2?expires=1772511044&key=local&signature=Example-url-0000000000000000000000000000000',
          },
        ],
        status: 'open',
        created_at: '2026-03-02T04:10:44.000Z',
        expires_at: '2026-03-03T04:10:44.000Z',
      },
    },
  },
  abortUpload: { parameters: { upload_id: '019cadc6-9a80-7ff4-8000-000000000001' } },
  completeUpload: {
    parameters: { upload_id: '019cadc6-9a80-7ff4-8000-000000000001' },
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
        id: '019cadc6-9a80-7ff4-8000-000000000002',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        key: 'films/teapot.mp4',
        size: 5242892,
        content_type: 'video/mp4',
        etag: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef-2',
        sha256: null,
        metadata: { product: 'teapot' },
        version: 1,
        created_by: '019cadc6-9a80-704f-8000-000000000001',
        created_at: '2026-03-02T04:10:44.000Z',
        updated_at: '2026-03-02T04:10:44.000Z',
      },
    },
  },
  uploadPart: {
    parameters: {
      upload_id: '019cadc6-9a80-7ff4-8000-000000000001',
      part_number: 2,
      expires: '1772511044',
      key: 'local',
      signature: 'Example-signature-0000000000000000000000000',
    },
    request: { type: 'application/octet-stream', value: 'part 2 part ' },
    answer: {
      type: 'application/json',
      value: {
        upload_id: '019cadc6-9a80-7ff4-8000-000000000001',
        part_number: 2,
        size: 12,
        etag: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
      },
    },
  },
  getStorageUsage: {
    parameters: { project_id: '019cadc6-9a80-7244-8000-000000000001' },
    answer: {
      type: 'application/json',
      value: {
        organization_id: '019cadc6-9a80-7af3-8000-000000000001',
        project_id: '019cadc6-9a80-7244-8000-000000000001',
        plan: 'pro',
        month: '2026-03',
        from_day: '2026-03-01',
        to_day: '2026-04-01',
        reset_day: '2026-04-01',
        max_file_bytes: 1073741824,
        is_metered: false,
        storage: {
          bytes_used: 5242996,
          bytes_reserved: 0,
          bytes_limit: 268435456000,
          bytes_remaining: 268430213004,
          is_near_limit: false,
          objects: 3,
        },
        bandwidth: { bytes_used: 52, bytes_limit: 268435456000, bytes_remaining: 268435455948, is_near_limit: false },
        project: { bytes_used: 5242996, objects: 3, bandwidth_bytes_used: 52 },
      },
    },
  },
};
