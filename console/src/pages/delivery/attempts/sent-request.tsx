import { Button, Code, CopyButton, Group, ScrollArea, Stack, Text, Title } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useState } from 'react';
import { Fact, Facts } from '../../../parts/facts.js';
import { type Signed, VerificationCode } from '../endpoints/verification.js';

type Sent = Schemas['SentRequestResponse'];

const WRAPPED = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } as const;

/** Shows the last request. Shows nothing before the first request, and for mails. */
export function SentRequest({ request }: { readonly request: Sent | null }) {
  if (request === null) return null;
  const { method, url, headers, body } = request;
  const signed = schemeOf(headers);
  const others = headers.filter(({ name }) => signed?.names.includes(name.toLowerCase()) !== true);
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={3} size="h6">
          Request
        </Title>
        <Group gap="xs">
          <CopyButton value={location.href}>
            {({ copied, copy }) => (
              <Button size="compact-xs" variant="default" onClick={copy}>
                {copied ? 'Copied' : 'Copy link'}
              </Button>
            )}
          </CopyButton>
          {!body.is_truncated && (
            <CopyButton value={curlOf(request)}>
              {({ copied, copy }) => (
                <Button size="compact-xs" variant="default" onClick={copy}>
                  {copied ? 'Copied' : 'Copy as curl'}
                </Button>
              )}
            </CopyButton>
          )}
        </Group>
      </Group>
      <Code block style={WRAPPED}>
        {method} {url}
      </Code>
      {signed === undefined ? (
        <Text size="sm" c="dimmed">
          It is not signed.
        </Text>
      ) : (
        <Signature of={signed.of} headers={headers.filter((header) => !others.includes(header))} />
      )}
      <Title order={4} size="h6">
        Headers
      </Title>
      <Facts>
        {others.map(({ name, value, is_protected }) => (
          <Fact key={name} name={name}>
            {is_protected ? 'Protected' : value}
          </Fact>
        ))}
      </Facts>
      <Title order={4} size="h6">
        Body
      </Title>
      <ScrollArea.Autosize mah={260} type="auto" viewportProps={{ tabIndex: 0, 'aria-label': 'Body', role: 'region' }}>
        <Code block style={WRAPPED}>
          {body.text}
        </Code>
      </ScrollArea.Autosize>
      <Text size="xs" c="dimmed">
        Secrets are removed from what is shown and copied.
        {signed !== undefined && ' The signature is that of the original request, so the copy may not fit it.'}
        {body.is_truncated && ' The body is cut after 16 KiB.'}
      </Text>
    </Stack>
  );
}

/** The headers of both signatures. Destinations also send the headers of channels. */
const SCHEMES = [
  { of: 'destination', names: ['x-service-delivery-id', 'x-service-timestamp', 'x-service-signature'] },
  { of: 'channel', names: ['webhook-id', 'webhook-timestamp', 'webhook-signature'] },
] as const satisfies readonly { of: Signed; names: readonly string[] }[];

/** Returns how a request is signed. The last header of a scheme has the signature. */
function schemeOf(headers: Sent['headers']): { of: Signed; names: readonly string[] } | undefined {
  return SCHEMES.find(({ names }) => headers.some(({ name }) => name.toLowerCase() === names[2]));
}

function Signature({ of, headers }: { readonly of: Signed; readonly headers: Sent['headers'] }) {
  const [isShown, setIsShown] = useState(false);
  return (
    <>
      <Group justify="space-between">
        <Title order={4} size="h6">
          Signature
        </Title>
        <Button size="compact-xs" variant="subtle" aria-expanded={isShown} onClick={() => setIsShown(!isShown)}>
          Verify in your code
        </Button>
      </Group>
      <Facts>
        {headers.map(({ name, value }) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </Facts>
      {isShown && <VerificationCode of={of} />}
    </>
  );
}

/** Protected headers are not known, so the command names them only. */
function curlOf({ method, url, headers, body }: Sent): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const lines = headers.map(
    ({ name, value, is_protected }) => `-H ${quoted(`${name}: ${is_protected ? '…' : value}`)}`,
  );
  return [`curl -X ${method} ${quoted(url)}`, ...lines, `--data-raw ${quoted(body.text)}`].join(' \\\n  ');
}
