import { Alert, Text } from '@mantine/core';

interface Props {
  readonly ok: boolean;
  readonly response_code: number | null;
  readonly response_summary: string | null;
  readonly reason: string | null;
  readonly duration_ms?: number;
}

/** What came of a test. */
export function TestOutcome({ ok, response_code, response_summary, reason, duration_ms }: Props) {
  return (
    <Alert color={ok ? 'sea' : 'red'} variant="light" role="status" title={ok ? 'It arrived' : 'It did not arrive'}>
      <Text size="sm">
        {response_code === null ? (reason ?? 'There was no answer.') : `The receiver answered ${response_code}`}
        {response_code !== null && duration_ms !== undefined && ` after ${duration_ms} ms`}
      </Text>
      {response_summary !== null && response_summary !== '' && (
        <Text size="xs" mt={4} ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {response_summary}
        </Text>
      )}
    </Alert>
  );
}
