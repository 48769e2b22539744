import type { SourceType } from '../event-source.entity.js';

export const SNIPPET_LANGUAGES = ['curl', 'node', 'python', 'browser', 'cron'] as const;
export type SnippetLanguage = (typeof SNIPPET_LANGUAGES)[number];

export interface CatalogEntry {
  readonly type: SourceType;
  readonly name: string;
  readonly description: string;
  readonly languages: readonly SnippetLanguage[];
}

/**
 * Each snippet sends one event. All but the one for web pages read SERVICE_URL and API_KEY from the environment, so
 * that no key ends up in a file. A web page contains its browser-safe key in the open.
 */
export const SNIPPETS: Readonly<Record<SnippetLanguage, { readonly title: string; readonly code: string }>> = {
  curl: {
    title: 'curl',
    code: `curl -sS --fail-with-body "$SERVICE_URL/v1/events/ingest" \\
  -H "Content-Type: application/json" \\
  -H "X-API-Key: $API_KEY" \\
  -d '{"event_type":"order.paid","source":"shop","properties":{"amount":42}}'
`,
  },
  node: {
    title: 'Node 18 or newer',
    code: `const answer = await fetch(\`\${process.env.SERVICE_URL}/v1/events/ingest\`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', 'X-API-Key': process.env.API_KEY },
  body: JSON.stringify({ event_type: 'order.paid', source: 'shop', properties: { amount: 42 } }),
});
if (!answer.ok) throw new Error(\`\${answer.status} \${await answer.text()}\`);
`,
  },
  python: {
    title: 'Python 3, standard library',
    code: `import json, os, urllib.request

request = urllib.request.Request(
    os.environ["SERVICE_URL"] + "/v1/events/ingest",
    data=json.dumps({"event_type": "order.paid", "source": "shop", "properties": {"amount": 42}}).encode(),
    headers={"Content-Type": "application/json", "X-API-Key": os.environ["API_KEY"]},
)
urllib.request.urlopen(request, timeout=10).read()
`,
  },
  browser: {
    title: 'Web page, with a browser-safe key for its origin',
    code: `fetch('{SERVICE_URL}/v1/events/ingest', {
  method: 'POST',
  keepalive: true,
  headers: { 'Content-Type': 'application/json', 'X-API-Key': '{BROWSER_SAFE_KEY}' },
  body: JSON.stringify({ event_type: 'page.viewed', source: 'web', properties: { path: location.pathname } }),
});
`,
  },
  cron: {
    title: 'Shell script for a crontab: tells how the job ended',
    code: `#!/bin/sh
# cron-event.sh: runs the command it is given and sends an event with its exit status.
started=$(date +%s)
"$@"
code=$?
[ "$code" -eq 0 ] && status=ok || status=failed
curl -sS --fail-with-body --max-time 10 "$SERVICE_URL/v1/events/ingest" \\
  -H "Content-Type: application/json" \\
  -H "X-API-Key: $API_KEY" \\
  -d "{\\"event_type\\":\\"cron.finished\\",\\"source\\":\\"cron\\",\\"status\\":\\"$status\\",\\"properties\\":{\\"exit_code\\":$code,\\"duration_ms\\":$((($(date +%s) - started) * 1000))}}"
exit "$code"
`,
  },
};

export const CATALOG: readonly CatalogEntry[] = [
  {
    type: 'http',
    name: 'HTTP',
    description: 'Anything that can send a POST request with a header.',
    languages: ['curl', 'node', 'python'],
  },
  {
    type: 'server',
    name: 'Server',
    description: 'A back end with a secret key in its environment.',
    languages: ['node', 'python', 'curl'],
  },
  {
    type: 'browser',
    name: 'Browser',
    description: 'Web pages with a browser-safe key, which is bound to their origins and only writes events.',
    languages: ['browser'],
  },
  {
    type: 'webhook',
    name: 'Webhook',
    description:
      'Webhooks of other services, such as GitHub or Stripe, which are sent to the address of the source. A relay can also pass them on with a key.',
    languages: ['node', 'python', 'curl'],
  },
  {
    type: 'cron',
    name: 'Cron',
    description: 'Scheduled jobs that tell when they ran and how they ended.',
    languages: ['cron', 'curl'],
  },
  {
    type: 'custom',
    name: 'Custom',
    description: 'Anything else; the same one request.',
    languages: ['curl', 'node', 'python'],
  },
];
