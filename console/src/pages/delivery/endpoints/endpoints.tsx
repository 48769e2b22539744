import { Group, Menu, Stack, Table, Text } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { alertRules } from '../../../api/alerting.js';
import { CHANNEL_MANAGERS, channels, destinations, lastAttempt } from '../../../api/delivery.js';
import { OPERATORS, useRefusal } from '../../../api/roles.js';
import { Act } from '../../../parts/act.js';
import { ActMenu } from '../../../parts/act-menu.js';
import { LinkAnchor } from '../../../parts/links.js';
import { Listed } from '../../../parts/listed.js';
import { Ago } from '../../../parts/moment.js';
import { PageHead } from '../../../parts/page-head.js';
import { Cell, Empty, Rows } from '../../../parts/rows.js';
import { StateBadge } from '../../../parts/state-badge.js';
import { Switched } from '../../../parts/switched.js';
import { useCurrentProject } from '../../../shell/current-project.js';
import { stateOf } from '../attempts/attempt-state.js';
import { type Doing, EndpointDialog } from './endpoint-dialog.js';
import { type Endpoint, endpointsOf, isSigned, isVerifiable, type Rule, switchEndpoint, usesOf } from './endpoint.js';
import { NewEndpoint } from './new-endpoint.js';
import { useRefetch } from './use-refetch.js';

export function EndpointsPage() {
  const { project } = useCurrentProject();
  const ofAlerts = useQuery(destinations(project.id));
  const ofChannels = useQuery(channels(project.id));
  const { data: rules } = useQuery(alertRules(project.id));
  const [doing, setDoing] = useState<{ readonly what: Doing; readonly id: string } | null>(null);
  const data = endpointsOf(ofAlerts.data, ofChannels.data);
  const endpoint = data?.find(({ id }) => id === doing?.id);
  return (
    <Stack gap="lg">
      <PageHead
        title="Endpoints"
        guide="alerts#destinations"
        about="Where notifications go: webhooks, Slack and e-mail."
      >
        <NewEndpoint />
      </PageHead>
      <Listed
        query={{ data, error: ofAlerts.error ?? ofChannels.error }}
        empty={
          <Empty
            title="No endpoint yet"
            about="Alert rules notify the endpoints that they name. A rule that names none notifies every alert webhook. A test shows at once whether a notification arrives."
          />
        }
      >
        {(items) => (
          <Rows
            label="Endpoints"
            columns={['Name', 'Type', 'Address', 'Last result', 'Used by', 'On', null]}
            minWidth={980}
          >
            {items.map((one) => (
              <EndpointRow key={one.id} endpoint={one} rules={rules} onDo={(what) => setDoing({ what, id: one.id })} />
            ))}
          </Rows>
        )}
      </Listed>
      <EndpointDialog endpoint={endpoint} what={doing?.what} onClose={() => setDoing(null)} />
    </Stack>
  );
}

interface RowProps {
  readonly endpoint: Endpoint;
  /** Undefined while they are read. */
  readonly rules: readonly Rule[] | undefined;
  readonly onDo: (what: Doing) => void;
}

function EndpointRow({ endpoint, rules, onDo }: RowProps) {
  const { organization, project } = useCurrentProject();
  const refetch = useRefetch();
  const refusal = useRefusal(project.id, endpoint.of === 'channel' ? CHANNEL_MANAGERS : OPERATORS);
  // The list may have 200 rows, so only the results of rows in view are read.
  const { ref, inViewport: isInView } = useInViewport<HTMLTableRowElement>();
  const { name } = endpoint;
  return (
    <Table.Tr ref={ref}>
      <Cell column="Name">
        <LinkAnchor
          to="/o/$organization/p/$project/attempts"
          params={{ organization: organization.slug, project: project.slug }}
          search={{ endpoint: endpoint.id, range: 'all' }}
          fw={600}
          size="sm"
        >
          {name}
        </LinkAnchor>
      </Cell>
      <Cell column="Type">
        <Text size="sm">{endpoint.type}</Text>
        {isVerifiable(endpoint) && (
          <Text size="xs" c="dimmed">
            {isSigned(endpoint) ? 'Signed' : 'Not signed'}
          </Text>
        )}
      </Cell>
      <Cell column="Address" ff="monospace" fz="xs" style={{ overflowWrap: 'anywhere' }}>
        {endpoint.address}
      </Cell>
      <Cell column="Last result">
        <LastResult endpoint={endpoint} isRead={isInView} />
      </Cell>
      <Cell column="Used by">{rules !== undefined && <UsedBy endpoint={endpoint} rules={rules} />}</Cell>
      <Cell column="On">
        <Switched
          label={`${name} is on`}
          isOn={endpoint.isOn}
          refusal={refusal}
          act={async (isOn) => {
            await switchEndpoint(endpoint, isOn);
            await refetch();
          }}
        />
      </Cell>
      <Table.Td ta="end">
        <Group gap={4} wrap="nowrap" justify="flex-end">
          {isVerifiable(endpoint) && (
            <Act
              refusal={isSigned(endpoint) ? undefined : 'Give it a secret first'}
              size="xs"
              variant="subtle"
              onAct={() => onDo('verify')}
              aria-label={`Verify signatures of ${name}`}
            >
              Verify
            </Act>
          )}
          <Act refusal={refusal} size="xs" variant="subtle" onAct={() => onDo('test')} aria-label={`Test ${name}`}>
            Test
          </Act>
          <ActMenu
            label="More"
            refusal={refusal}
            position="bottom-end"
            size="xs"
            variant="subtle"
            aria-label={`More for ${name}`}
          >
            <Menu.Item onClick={() => onDo('change')}>Change</Menu.Item>
            {endpoint.of === 'channel' && endpoint.it.type === 'webhook' && (
              <>
                <Menu.Item onClick={() => onDo('headers')}>Protected headers</Menu.Item>
                <Menu.Item onClick={() => onDo('secret')}>Signing secret</Menu.Item>
              </>
            )}
            <Menu.Item color="red" onClick={() => onDo('delete')}>
              Delete
            </Menu.Item>
          </ActMenu>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

function LastResult({ endpoint: { of, id }, isRead }: { readonly endpoint: Endpoint; readonly isRead: boolean }) {
  const { project } = useCurrentProject();
  const { data } = useQuery({ ...lastAttempt(project.id, of, id), enabled: isRead });
  if (data === undefined) return null;
  if (data === null)
    return (
      <Text size="sm" c="dimmed">
        None yet
      </Text>
    );
  return (
    <>
      <Group gap={6} wrap="nowrap">
        <StateBadge state={stateOf(data)} />
        {data.it.response_code !== null && <Text size="sm">{data.it.response_code}</Text>}
      </Group>
      <Text size="xs" c="dimmed">
        <Ago at={data.it.created_at} />
      </Text>
    </>
  );
}

/** The most rules that are named in a row. */
const MAX_NAMED = 3;

function UsedBy({ endpoint, rules }: { readonly endpoint: Endpoint; readonly rules: readonly Rule[] }) {
  const { organization, project } = useCurrentProject();
  const params = { organization: organization.slug, project: project.slug };
  const { named, unnamed } = usesOf(endpoint, rules);
  if (named.length + unnamed === 0)
    return (
      <Text size="sm" c="dimmed">
        No rule
      </Text>
    );
  return (
    <Stack gap={2}>
      {named.slice(0, MAX_NAMED).map(({ id, name }) => (
        <LinkAnchor
          key={id}
          to="/o/$organization/p/$project/alert-rules/$rule"
          params={{ ...params, rule: id }}
          size="sm"
        >
          {name}
        </LinkAnchor>
      ))}
      {named.length > MAX_NAMED && <Text size="xs">and {named.length - MAX_NAMED} more</Text>}
      {unnamed > 0 && (
        <LinkAnchor to="/o/$organization/p/$project/alert-rules" params={params} size="xs">
          {unnamed} {unnamed === 1 ? 'rule that names' : 'rules that name'} no endpoint
        </LinkAnchor>
      )}
    </Stack>
  );
}
