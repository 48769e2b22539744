import { Anchor, Card, Stack, Text, Title } from '@mantine/core';
import type { Schemas } from '@operational-events/client';

interface Props {
  readonly rule: Schemas['AlertRuleResponse'];
}

/** The runbook and the notes of a rule, for the person who handles one of its alerts. Nothing without either. */
export function RuleGuidance({ rule: { runbook_url, notes } }: Props) {
  if (runbook_url === null && notes === null) return null;
  return (
    <Card withBorder padding="sm" component="section" aria-label="Runbook and notes">
      <Stack gap={6}>
        <Title order={3} size="h6">
          What to do
        </Title>
        {runbook_url !== null && <Runbook address={runbook_url} />}
        {notes !== null && (
          <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {notes}
          </Text>
        )}
      </Stack>
    </Card>
  );
}

/** Only an http or https address becomes a link, so that a `javascript:` address cannot run in the console. */
function Runbook({ address }: { readonly address: string }) {
  const text = `Runbook: ${address}`;
  return /^https?:\/\//i.test(address) ? (
    <Anchor href={address} target="_blank" rel="noreferrer" size="sm" style={{ overflowWrap: 'anywhere' }}>
      {text}
    </Anchor>
  ) : (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      {text}
    </Text>
  );
}
