import { Code, ScrollArea, Stack, Text, Title } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { Fact, Facts } from '../../parts/facts.js';

const WRAPPED = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } as const;

/** Shows the request of the last try. Shows nothing before the first try, and for mails. */
export function SentRequest({ request }: { readonly request: Schemas['SentRequestResponse'] | null }) {
  if (request === null) return null;
  const { method, url, headers, body } = request;
  return (
    <Stack gap="xs">
      <Title order={3} size="h6">
        Request
      </Title>
      <Code block style={WRAPPED}>
        {method} {url}
      </Code>
      <Title order={4} size="h6">
        Headers
      </Title>
      <Facts>
        {headers.map(({ name, value, is_protected }) => (
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
      {body.is_truncated && (
        <Text size="xs" c="dimmed">
          The body is cut after 16 KiB.
        </Text>
      )}
    </Stack>
  );
}
