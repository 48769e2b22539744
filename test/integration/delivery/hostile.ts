import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Owner, ownerWithProject } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import { DELIVERY_ENV, type DeliveryClient, deliveryOf, ruleMatch, runRetries } from '../../support/delivery.js';

describe('a destination in the own network', () => {
  let app: TestApp;
  let owner: Owner;
  let delivery: DeliveryClient;
  let connections = 0;
  /** Whoever connects to the own machine is seen here, on IPv4 and IPv6. */
  const listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  let port: number;

  beforeAll(async () => {
    listener.listen(0, '::');
    await once(listener, 'listening');
    ({ port } = listener.address() as AddressInfo);
    app = await createApiApp({ env: { ...DELIVERY_ENV, OUTBOUND_ALLOWED_SUBNETS: '' } });
    owner = await ownerWithProject(app);
    delivery = deliveryOf(app, owner);
  });
  afterAll(async () => {
    await app.close();
    listener.close();
  });

  const HOSTS = [
    '127.0.0.1',
    '127.1',
    '127.255.255.254',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0',
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[fe80::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[2002:7f00:1::]',
    '[2001:db8::1]',
    '[2001::1]',
    '[ff02::1]',
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    'metadata.google.internal',
    'printer.local',
    'router.lan',
    'intranet.corp',
    'kubernetes.default.svc',
    'api.svc.cluster.local',
    'host.localdomain',
    'nas.home.arpa',
    'intranet',
    '①②⑦.⓪.⓪.①',
    'ⓛocalhost',
  ];

  it.each(HOSTS)('is refused as the host %s of a new channel', async (host) => {
    const answer = await delivery.create({ type: 'webhook', configuration: { url: `http://${host}:${port}/` } });
    expect([answer.status, answer.body.detail?.[0]?.loc]).toEqual([422, ['body', 'configuration', 'url']]);
  });

  it('is refused again before each send, without a connection, and is never retried', async () => {
    const id = await delivery.webhook('https://example.com/');
    for (const host of HOSTS) {
      const url = `http://${host}:${port}/`;
      await app.rows(
        `UPDATE delivery_channels SET configuration = jsonb_set(configuration, '{url}', to_jsonb($2::text)) WHERE id = $1`,
        [id, url],
      );
      const attempt = await ruleMatch(app, owner.projectId, id);
      await runRetries(app);
      const seen = await delivery.attempt(attempt);
      expect([host, seen.status, seen.retry_state]).toEqual([host, 'failed', 'terminal']);
      expect(seen.failure_reason).toMatch(/^(unsafe_destination|destination_configuration_invalid)/);
      expect(JSON.stringify(seen)).not.toContain(`:${port}`);
    }
    expect(connections).toBe(0);
  });
});
