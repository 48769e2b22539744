import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { alertDelivery } from '../../api/delivery.js';
import { Fact, Facts } from '../../parts/facts.js';
import { Failure } from '../../parts/failures.js';
import { Moment } from '../../parts/moment.js';
import { Side } from '../../parts/side.js';
import { StateBadge } from '../../parts/state-badge.js';
import { inWords } from '../../parts/words.js';
import { PendingPage } from '../../shell/around-pages.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { SentRequest } from './sent-request.js';

interface Props {
  /** The id of the delivery that is shown. Undefined: the drawer is closed. */
  readonly id: string | undefined;
  readonly onClose: () => void;
}

export function AlertDeliveryDrawer({ id, onClose }: Props) {
  return (
    <Side title="Alert delivery" isOpen={id !== undefined} onClose={onClose}>
      {id !== undefined && <Detail key={id} id={id} />}
    </Side>
  );
}

function Detail({ id }: { readonly id: string }) {
  const { project } = useCurrentProject();
  const { data, error } = useQuery(alertDelivery(project.id, id));
  if (data === undefined) return error === null ? <PendingPage /> : <Failure error={error} />;
  return (
    <Stack>
      <Group gap="xs">
        <StateBadge state={data.status} />
      </Group>
      <Facts>
        <Fact name="Destination">{data.destination_name}</Fact>
        <Fact name="Made">
          <Moment at={data.created_at} />
        </Fact>
        <Fact name="Answer">
          {data.response_code ?? 'None'}
          {data.response_summary !== null && (
            <Text size="xs" ff="monospace" mt={4}>
              {data.response_summary}
            </Text>
          )}
        </Fact>
        {data.failure_reason !== null && <Fact name="Failed by">{inWords(data.failure_reason)}</Fact>}
      </Facts>
      <SentRequest request={data.request} />
    </Stack>
  );
}
