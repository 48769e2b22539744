import { createServer, get, request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Test } from 'supertest';
import { Clock } from '../../../src/platform/clock/index.js';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { launchChromium, servePage } from '../../support/chromium.js';
import { eventually } from '../../support/eventually.js';
import { type ObjectRecord, Objects, type UploadRecord } from '../../support/objects.js';

const NOBODY = '0199f3a1-0000-7000-8000-000000000000';
const REFUSED = { detail: 'Invalid or expired signature' };

describe('The content of an object', () => {
  let app: TestApp;
  let owner: Owner;
  let objects: Objects;
  let object: ObjectRecord;
  let link: string;

  beforeAll(async () => {
    app = await createTestApp({
      env: { STORAGE_LIMITS: 'free=64MB/1MB/32MB', CORS_ORIGINS: 'https://app.example.com' },
    });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    owner = await ownerWithProject(app);
    objects = new Objects(app, owner);
    object = await objects.stored('reports/“q1”\u202e.txt', '0123456789');
    link = await objects.link(object.id);
  });

  const fetch = (path = link): Test => app.request().get(path);
  const bandwidth = async (): Promise<number> => (await objects.usage()).bandwidth.bytes_used;

  it('is sent with headers that keep a browser from running it', async () => {
    const answer = await fetch().expect(200);
    expect(answer.text).toBe('0123456789');
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '10',
      etag: `"${object.etag}"`,
      'last-modified': new Date(object.created_at).toUTCString(),
      'accept-ranges': 'bytes',
      'content-disposition': `attachment; filename="_q1_.txt"; filename*=UTF-8''%E2%80%9Cq1%E2%80%9D.txt`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none';sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'referrer-policy': 'no-referrer',
      'cache-control': expect.stringMatching(/^private, max-age=(29\d|300)$/),
      'x-request-id': expect.any(String),
    });
  });

  it('needs no credentials, ignores them, and counts against no rate limit', async () => {
    for (const credential of ['Bearer nonsense', owner.bearer, 'Basic eDp5']) {
      const { headers } = await fetch().set('Authorization', credential).expect(200);
      expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
    }
    const { headers } = await fetch().set('If-None-Match', `W/"${object.etag}"`).expect(304);
    expect(headers).toMatchObject({
      etag: `"${object.etag}"`,
      'last-modified': expect.any(String),
      'cache-control': expect.stringMatching(/^private/),
      'content-security-policy': "default-src 'none';sandbox",
    });
    expect(headers).not.toHaveProperty('content-type');
  });

  it('is sent completely to a client of HTTP/1.0', async () => {
    const text = await spoken(`GET ${link} HTTP/1.0\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(text).toContain('\r\nContent-Length: 10\r\n');
    expect(text).not.toMatch(/transfer-encoding/i);
    expect(text.endsWith('\r\n\r\n0123456789')).toBe(true);
  });

  it('is not interpreted as a request when its upload is refused', async () => {
    const hidden = `GET ${link} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    const head = `POST /v1/core/objects?project_id=${owner.projectId}&key=x HTTP/1.1\r\nHost: x\r\n`;
    const answers = (text: string): number[] =>
      [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
    // Of this body the hidden request is a part; behind this one it is a request like every other.
    const inside = await spoken(`${head}Content-Length: ${hidden.length}\r\nConnection: close\r\n\r\n${hidden}`);
    expect(answers(inside)).toEqual([401]);
    const behind = await spoken(`${head}Content-Length: 5\r\n\r\n12345${hidden}`);
    expect([[401], [401, 200]]).toContainEqual(answers(behind));
    const large = `${head}Authorization: ${owner.bearer}\r\nContent-Length: 99999999\r\nConnection: close\r\n\r\n`;
    expect(answers(await spoken(large + hidden.repeat(50), true))).toEqual([413]);
  });

  /** What comes back until the service closes the connection. @param leaves once the head has been answered */
  function spoken(text: string, leaves = false): Promise<string> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(app.url);
      const socket = connect(Number(port), hostname);
      let read = '';
      socket.setEncoding('utf8').on('data', (more: string) => {
        read += more;
        if (leaves && read.includes('"}')) socket.end();
      });
      socket.on('error', reject).on('close', () => resolve(read));
      socket.write(text);
    });
  }

  it('runs no script in a browser, reads nothing of its origin, and can be shown by pages of other origins', async () => {
    const heard: string[] = [];
    const collector = createServer((request, response) => {
      heard.push(request.url ?? '');
      response.setHeader('Access-Control-Allow-Origin', '*').end();
    });
    await new Promise<void>((resolve) => collector.listen(0, 'localhost', resolve));
    const to = `http://localhost:${(collector.address() as AddressInfo).port}`;
    const script = (name: string): string =>
      `fetch('${to}/${name}');fetch('/health').then((r)=>r.text()).then((t)=>fetch('${to}/${name}?'+t));new Image().src='${to}/${name}';`;
    const html = (name: string): string =>
      `<!doctype html><script>${script(name)}</script><img src="${to}/${name}-img">`;
    const svg = (name: string): string =>
      `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="${script(name)}"><script>${script(name)}</script></svg>`;
    const xhtml = (name: string): string =>
      `<html xmlns="http://www.w3.org/1999/xhtml"><body><script>${script(name)}</script></body></html>`;
    const uploads: [string, string][] = [
      ['text/html', html('html')],
      ['TEXT/HTML; charset=utf-8', html('upper')],
      ['application/xhtml+xml', xhtml('xhtml')],
      ['text/xml', xhtml('xml')],
      ['image/svg+xml', svg('svg')],
      ['text/javascript', script('js')],
      ['application/pdf', html('pdf')],
      ['text/plain', html('plain')],
      ['image/png', svg('png')],
      ['application/json', html('json')],
      ['video/mp4', html('video')],
      ['application/octet-stream', html('octets')],
    ];
    const [foreign, served] = [
      await servePage('<!doctype html><title>Elsewhere</title>'),
      await servePage(html('served')),
    ];
    const chromium = await launchChromium();
    try {
      const page = await chromium.context.newPage();
      for (const [index, [type, content]] of uploads.entries()) {
        const { id } = await objects.stored(`active-${index}`, content, { content_type: type });
        const address = app.url + (await objects.link(id, { disposition: 'inline' }));
        // A download is no page to go to.
        await page.goto(address).catch((error: unknown) => expect(String(error)).toMatch(/Download|ERR_ABORTED/));
        if (page.url() === address) expect(await page.evaluate('self.origin')).toBe('null');
      }
      const image = await objects.stored('image.svg', svg('embedded'), { content_type: 'image/svg+xml' });
      const address = app.url + (await objects.link(image.id));
      await page.goto(foreign.origin);
      expect(
        await page.evaluate(`(async (url) => {
          const image = new Image();
          image.src = url;
          await image.decode();
          const answer = await fetch(url, { headers: { Range: 'bytes=0-3' } });
          return [image.naturalWidth, answer.status, await answer.text(), answer.headers.get('etag')];
        })(${JSON.stringify(address)})`),
      ).toEqual([9, 206, '<svg', `"${image.etag}"`]);
      expect(heard).toEqual([]);

      // Elsewhere it would have run.
      await page.goto(served.origin);
      await until(() => Promise.resolve(heard.includes('/served')));
    } finally {
      await chromium.close();
      await foreign.close();
      await served.close();
      collector.closeAllConnections();
      collector.close();
    }
  });

  it('is available to anyone with the address for as long as was requested', async () => {
    const { body } = await objects.get(`objects/${object.id}`, { expires_in: 86_400 }).expect(200);
    const { download_url: url, download_url_expires_at: end, ...rest } = body as Record<string, string>;
    expect(rest).toEqual(object);
    expect(url).toMatch(
      new RegExp(
        `^http://127\\.0\\.0\\.1:\\d+/v1/core/objects/${object.id}/content\\?expires=\\d+&disposition=attachment&key=[\\w-]+&signature=[\\w-]{43}$`,
      ),
    );
    expect(Math.round((Date.parse(end ?? '') - Date.now()) / 60_000)).toBe(24 * 60);
    for (const expires of [0, 86_401]) await objects.get(`objects/${object.id}`, { expires_in: expires }).expect(422);
    // Whoever sends a credential along is not asked for it.
    await fetch().set('Authorization', 'Bearer nonsense').expect(200);
    await app.request().delete(`/v1/auth/sessions`).set('Authorization', owner.bearer);
    await fetch().expect(200);
  });

  it('returns 403 after any change of its address', async () => {
    const [path = '', query = ''] = link.split('?');
    for (let at = 0; at < query.length; at += 1) {
      const other = query[at] === 'a' ? 'b' : 'a';
      const changed = `${path}?${query.slice(0, at)}${other}${query.slice(at + 1)}`;
      const { status, body } = await fetch(changed);
      expect([changed, status, body]).toEqual([changed, 403, REFUSED]);
    }
    const other = await objects.stored('other');
    for (const changed of [
      link.replace(object.id, other.id),
      link.replace(object.id, NOBODY),
      link.replace(object.id, object.id.toUpperCase()),
      link.replace(object.id, 'nonsense'),
      path,
      `${link}&signature=x`,
      `${link}&expires=9999999999`,
      `${path}?expires=&disposition=&key=&signature=`,
    ])
      expect((await fetch(changed).expect(403)).body).toEqual(REFUSED);
  });

  it('returns 403 when its address has expired', async () => {
    const short = await objects.link(object.id, { expires_in: 60 });
    await fetch(short).expect(200);
    const clock = jest.spyOn(app.nest.get(Clock), 'now').mockImplementation(() => new Date(Date.now() + 60_001));
    const late = await fetch(short);
    clock.mockRestore();
    expect([late.status, late.body]).toEqual([403, REFUSED]);
  });

  it.each([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=0-1,3-4', 200, '0123456789', undefined],
    ['bytes=x', 200, '0123456789', undefined],
  ])('is returned for the range %s with the status %i', async (range, status, text, contentRange) => {
    const answer = await fetch().set('Range', range).expect(status);
    expect(answer.text).toBe(text);
    expect(answer.headers['content-range']).toBe(contentRange);
    expect(answer.headers['content-length']).toBe(String(text.length));
    expect(await bandwidth()).toBe(text.length);
  });

  it('returns 416 for a range beyond its end', async () => {
    const answer = await fetch().set('Range', 'bytes=10-').expect(416);
    expect(answer.body).toEqual({ detail: 'Range Not Satisfiable' });
    expect(answer.headers['content-range']).toBe('bytes */10');
    expect(await bandwidth()).toBe(0);
  });

  it('is sent only when the conditions of the request are met', async () => {
    const tag = `"${object.etag}"`;
    const unchanged = await fetch().set('If-None-Match', `W/${tag}`).expect(304);
    expect(unchanged.text).toBe('');
    expect(unchanged.headers).toMatchObject({ etag: tag, 'cache-control': expect.stringContaining('private') });
    const failed = await fetch().set('If-Match', '"other"').expect(412);
    expect(failed.body).toEqual({ detail: 'Precondition Failed' });
    expect((await fetch().set('Range', 'bytes=0-0').set('If-Range', tag).expect(206)).text).toBe('0');
    expect((await fetch().set('Range', 'bytes=0-0').set('If-Range', '"other"').expect(200)).text).toHaveLength(10);
    expect(await bandwidth()).toBe(11);
  });

  it('is described by HEAD without being sent', async () => {
    const answer = await app.request().head(link).set('Range', 'bytes=0-1').expect(200);
    expect(answer.headers).toMatchObject({ 'content-length': '10', etag: `"${object.etag}"` });
    expect(await bandwidth()).toBe(0);
  });

  it('is always the current version, and returns 404 after the object was deleted', async () => {
    await objects.stored(object.key, 'new', { overwrite: 'true' });
    expect((await fetch().expect(200)).text).toBe('new');
    await objects.remove(object.id).expect(204);
    expect((await fetch().expect(404)).body).toEqual({ detail: 'Object not found' });
  });

  it.each([
    ['image/png', 'inline'],
    ['audio/ogg', 'inline'],
    ['text/plain; charset=utf-8', 'inline'],
    ['application/json', 'inline'],
    ['text/html', 'attachment'],
    ['TEXT/HTML', 'attachment'],
    ['image/svg+xml', 'attachment'],
    ['application/xhtml+xml', 'attachment'],
    ['text/xml', 'attachment'],
    ['text/javascript', 'attachment'],
    ['application/pdf', 'attachment'],
    ['application/octet-stream', 'attachment'],
    ['video/mp4', 'inline'],
  ])('has the type %s and the disposition %s when inline is requested', async (type, shown) => {
    const { id } = await objects.stored('shown', '{}', { content_type: type });
    const answer = await fetch(await objects.link(id, { disposition: 'inline' })).expect(200);
    expect(answer.headers['content-disposition']).toMatch(new RegExp(`^${shown};`));
    expect(answer.headers['content-type']).toBe(type);
    const saved = await fetch(await objects.link(id)).expect(200);
    expect(saved.headers['content-disposition']).toMatch(/^attachment;/);
  });

  it('can be read by pages of any origin, without credentials', async () => {
    for (const origin of ['https://anywhere.example', 'https://app.example.com']) {
      const answer = await fetch().set('Origin', origin).expect(200);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': expect.stringContaining('Content-Range'),
      });
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
      const refused = await fetch(link.split('?')[0]).set('Origin', origin).expect(403);
      expect(refused.headers['access-control-allow-origin']).toBe('*');
      const preflight = await app
        .request()
        .options(link)
        .set({ Origin: origin, 'Access-Control-Request-Method': 'GET', 'Access-Control-Request-Headers': 'range' })
        .expect(204);
      expect(preflight.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-headers': expect.stringContaining('Range'),
      });
    }
  });

  describe('The bandwidth limit', () => {
    let large: ObjectRecord;
    beforeEach(async () => {
      large = await stored(600 * 1024);
    });
    async function stored(size: number): Promise<ObjectRecord> {
      return objects.stored(`large-${size}`, Buffer.alloc(size));
    }

    it('returns 403 for a download that would exceed it, before the first byte', async () => {
      const path = await objects.link(large.id);
      const answers = await Promise.all(Array.from({ length: 4 }, () => fetch(path)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403]);
      expect(answers.find(({ status }) => status === 403)).toMatchObject({
        body: { detail: 'Download bandwidth exceeded' },
        headers: {
          'x-service-block-reason': 'bandwidth_exceeded',
          'x-service-bandwidth-limit': String(1024 * 1024),
          'x-service-bandwidth-used': String(600 * 1024),
          'x-service-period-start': expect.stringMatching(/^\d{4}-\d\d-01$/),
          'x-service-period-end': expect.stringMatching(/^\d{4}-\d\d-01$/),
        },
      });
      await fetch(path).set('Range', 'bytes=0-99').expect(206);
      expect((await objects.usage()).bandwidth).toEqual({
        bytes_used: 600 * 1024 + 100,
        bytes_limit: 1024 * 1024,
        bytes_remaining: 424 * 1024 - 100,
        is_near_limit: false,
      });
    });

    it('does not count the bytes that a client has not read', async () => {
      const much = await stored(15 * 1024 * 1024);
      await app.rows('UPDATE organizations SET plan = $2 WHERE id = $1', [owner.organizationId, 'enterprise']);
      const path = await objects.link(much.id);
      await new Promise<void>((resolve, reject) => {
        const asked = get(app.url + path, (response) => {
          response.once('data', () => {
            response.destroy();
            resolve();
          });
        });
        asked.on('error', reject);
      });
      await until(async () => (await bandwidth()) < much.size);
      expect(await bandwidth()).toBeGreaterThan(0);
    });
  });

  it('stays unchanged while it is sent, even when the object is replaced and deleted', async () => {
    await app.rows('UPDATE organizations SET plan = $2 WHERE id = $1', [owner.organizationId, 'enterprise']);
    const old = await objects.stored('changing', Buffer.alloc(12 * 1024 * 1024, 'a'));
    const path = await objects.link(old.id);
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      get(app.url + path, (response) => {
        const chunks: Buffer[] = [];
        response.once('data', (first: Buffer) => {
          chunks.push(first);
          response.pause();
          void objects
            .stored('changing', Buffer.alloc(12 * 1024 * 1024, 'b'), { overwrite: 'true' })
            .then(() => objects.remove(old.id).expect(204))
            .then(() => {
              response.on('data', (chunk: Buffer) => chunks.push(chunk));
              response.resume();
            }, reject);
        });
        response.on('end', () => resolve(Buffer.concat(chunks)));
      }).on('error', reject);
    });
    expect(bytes.length).toBe(12 * 1024 * 1024);
    expect(bytes.every((byte) => byte === 0x61)).toBe(true);
  });

  it('needs a signed address, and has none while encryption is off', async () => {
    const off = await createTestApp({
      databaseUrl: app.databaseUrl,
      dataDir: app.dataDir,
      env: { CREDENTIAL_ENCRYPTION_KEYS: 'disabled' },
    });
    try {
      const there = new Objects(off, owner);
      expect((await there.get(`objects/${object.id}`).expect(200)).body).toEqual({
        ...object,
        download_url: null,
        download_url_expires_at: null,
      });
      expect((await there.begin({ key: 'a', size: 1 }).expect(503)).body).toEqual({
        detail: 'Signed URLs are unavailable',
      });
      expect((await off.request().get(link).expect(403)).body).toEqual(REFUSED);
      await there.put('still', 'stored').expect(201);
    } finally {
      await off.close();
    }
  });

  it('is requested with 100 Continue only when the caller may upload it', async () => {
    const upload = await objects.begun({ key: 'expecting', size: 1_000_000 });
    const good = upload.parts[0]?.url ?? '';
    const forged = good.replace(/(?<=signature=)./, (first) => (first === '_' ? '-' : '_'));
    expect(await expecting('PUT', forged, 1_000_000)).toEqual({
      continued: false,
      status: 403,
    });
    expect(await expecting('PUT', good, 1_000_000)).toEqual({ continued: true, status: 200 });
    const post = `${app.url}/v1/core/objects?project_id=${owner.projectId}&key=x`;
    expect(await expecting('POST', post, 10)).toEqual({ continued: false, status: 401 });
    expect(await expecting('POST', post, 1e9, owner.bearer)).toEqual({ continued: false, status: 413 });
  });

  /** Sends the body only when it is asked for. */
  function expecting(
    method: string,
    url: string,
    length: number,
    bearer?: string,
  ): Promise<{ continued: boolean; status: number }> {
    return new Promise((resolve, reject) => {
      let continued = false;
      const headers = { Expect: '100-continue', 'Content-Length': length, ...(bearer && { Authorization: bearer }) };
      const sent = httpRequest(url, { method, headers });
      sent.flushHeaders();
      sent.on('continue', () => {
        continued = true;
        sent.end(Buffer.alloc(length));
      });
      sent.on('response', (response) => {
        response.resume();
        resolve({ continued, status: response.statusCode ?? 0 });
        if (!continued) sent.destroy();
      });
      sent.on('error', reject);
    });
  }

  it('is accepted in parts only at an unchanged address', async () => {
    const upload: UploadRecord = await objects.begun({ key: 'parts', size: 10 });
    const url = upload.parts[0]?.url ?? '';
    const path = url.slice(url.indexOf('/v1'));
    const put = (to: string): Test => app.request().put(to).set('Content-Type', 'text/plain').send('0123456789');
    for (const changed of [
      path.replace('/parts/1', '/parts/2'),
      path.replace('/parts/1', '/parts/01'),
      path.replace(upload.id, NOBODY),
      path.replace('parts/1', 'parts/x'),
      `${path}&disposition=attachment`,
      path.split('?')[0] ?? '',
    ])
      expect((await put(changed).expect(403)).body).toEqual(REFUSED);
    await app.request().get(path).expect(405);
    await put(path).expect(200);
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  await eventually(holds, (held) => held);
}
