import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure } from '../../../parts/failures.js';

interface Outcome {
  readonly ok: boolean;
  readonly response_code: number | null;
  readonly response_summary: string | null;
  /** Why there was no answer, if that is known. */
  readonly failure_reason?: string | null;
  readonly duration_ms?: number;
}

interface Props {
  readonly send: () => Promise<Outcome>;
  /** The title of the error when the service could not send the test. */
  readonly failure?: string;
  /** Describes what the test will do. */
  readonly children: ReactNode;
}

/** Sends a test, any number of times, inside a dialog. */
export function TestForm({ send, failure, children }: Props) {
  const testing = useMutation({ mutationFn: send });
  return (
    <Stack>
      <Text component="div">{children}</Text>
      <Failure error={testing.error} {...(failure !== undefined && { title: failure })} />
      {testing.data !== undefined && <Told outcome={testing.data} />}
      <Group justify="flex-end">
        <Button loading={testing.isPending} onClick={() => testing.mutate()}>
          {testing.isIdle ? 'Send it' : 'Send another'}
        </Button>
      </Group>
    </Stack>
  );
}

/** Shows the result of a test. */
function Told({ outcome }: { readonly outcome: Outcome }) {
  const { ok, response_code, response_summary, failure_reason, duration_ms } = outcome;
  return (
    <Alert color={ok ? 'sea' : 'red'} variant="light" role="status" title={ok ? 'It arrived' : 'It did not arrive'}>
      <Text size="sm">
        {response_code === null ? (failure_reason ?? 'There was no answer.') : `The receiver answered ${response_code}`}
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
