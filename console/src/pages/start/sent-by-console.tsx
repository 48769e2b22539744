import { Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { sendEvents, sendTestEvent } from '../../api/first-steps.js';
import { Act } from '../../parts/act.js';
import { Failure } from '../../parts/failures.js';
import { LinkAnchor } from '../../parts/links.js';
import { whole } from '../../parts/numbers.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { SAMPLE_EVENTS, SAMPLE_HOURS, sampleEvents } from './sample-events.js';

interface Props {
  readonly apiKey: string | null;
  /** Why the caller may not make a key. */
  readonly refusal: string | undefined;
}

/** Sends events from the console with the key of the page. */
export function SentByConsole({ apiKey, refusal }: Props) {
  const { organization, project } = useCurrentProject();
  const params = { organization: organization.slug, project: project.slug };
  const test = useMutation({ mutationFn: (key: string) => sendTestEvent(key), gcTime: 0 });
  const sample = useMutation({ mutationFn: (key: string) => sendEvents(key, sampleEvents(Date.now())), gcTime: 0 });
  const why = refusal ?? (apiKey === null ? 'Make a key first' : undefined);
  return (
    <Stack gap="sm">
      <Text size="sm">
        The console can send events with your key, too: one test event, or {SAMPLE_EVENTS} sample events of an invented
        shop, spread over the last {SAMPLE_HOURS} hours. Both count as usage of your plan and stay until the retention
        ends. Their environment is <b>sample</b>.
      </Text>
      <Failure error={test.error ?? sample.error} />
      <Group gap="sm">
        <Act
          variant="default"
          refusal={why}
          loading={test.isPending}
          onAct={() => apiKey !== null && test.mutate(apiKey)}
        >
          Send a test event
        </Act>
        <Act
          variant="default"
          refusal={why ?? (sample.isSuccess ? 'The sample events were sent' : undefined)}
          loading={sample.isPending}
          onAct={() => apiKey !== null && sample.mutate(apiKey)}
        >
          Send {SAMPLE_EVENTS} sample events
        </Act>
      </Group>
      {test.data !== undefined && (
        <Text size="sm" role="status">
          The service stored the test event.{' '}
          <LinkAnchor
            to="/o/$organization/p/$project/logs"
            params={params}
            search={{ shown: test.data }}
            underline="always"
          >
            Open it in Logs
          </LinkAnchor>
        </Text>
      )}
      {sample.data !== undefined && (
        <Text size="sm" role="status">
          The service stored {whole(sample.data)} sample events.{' '}
          <LinkAnchor
            to="/o/$organization/p/$project/logs"
            params={params}
            search={{ environment: 'sample' }}
            underline="always"
          >
            Open them in Logs
          </LinkAnchor>
        </Text>
      )}
    </Stack>
  );
}
