import { Group, Menu, Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { CHANNEL_MANAGERS, channels } from '../../../api/delivery.js';
import { useRefusal } from '../../../api/roles.js';
import { Act } from '../../../parts/act.js';
import { ActMenu } from '../../../parts/act-menu.js';
import { Confirmation, Dialog } from '../../../parts/dialog.js';
import { Icon } from '../../../parts/icons.js';
import { LinkAnchor } from '../../../parts/links.js';
import { Listed } from '../../../parts/listed.js';
import { PageHead } from '../../../parts/page-head.js';
import { Empty, Rows } from '../../../parts/rows.js';
import { Switched } from '../../../parts/switched.js';
import { useCurrentProject } from '../../../shell/current-project.js';
import { TestForm } from '../test-form.js';
import { ChannelForm } from './channel-form.js';
import { ProtectedHeaders } from './protected-headers.js';
import { SigningSecret } from './signing-secret.js';
import { useRefetchChannels } from './use-refetch-channels.js';

type Channel = Schemas['ChannelResponse'];
type Doing = 'change' | 'headers' | 'secret' | 'test' | 'delete';

const TITLES: Readonly<Record<Doing, string>> = {
  change: 'Change the channel',
  headers: 'Protected headers',
  secret: 'Signing secret',
  test: 'Send a test',
  delete: 'Delete the channel',
};

export function ChannelsPage() {
  const { project } = useCurrentProject();
  const { data, error } = useQuery(channels(project.id));
  const refusal = useRefusal(project.id, CHANNEL_MANAGERS);
  const [isMaking, setIsMaking] = useState(false);
  const [doing, setDoing] = useState<{ readonly what: Doing; readonly id: string } | null>(null);
  const channel = data?.find(({ id }) => id === doing?.id);
  const close = () => setDoing(null);
  return (
    <Stack gap="lg">
      <PageHead title="Channels" about="Where notifications go: a webhook with headers of yours, or mail addresses.">
        <Act refusal={refusal} leftSection={<Icon name="plus" size={16} />} onAct={() => setIsMaking(true)}>
          New channel
        </Act>
      </PageHead>
      <Listed
        asked={{ data, error }}
        empty={
          <Empty
            title="No channel yet"
            about="A channel is told by the rules that name it. It has retries of its own, keeps the evidence of each, and sends protected headers that nobody can read again."
          />
        }
      >
        {(items) => (
          <Rows label="Channels" columns={['Name', 'Goes to', 'Protected headers', 'On', null]} minWidth={780}>
            {items.map((one) => (
              <ChannelRow
                key={one.id}
                channel={one}
                refusal={refusal}
                onDo={(what) => setDoing({ what, id: one.id })}
              />
            ))}
          </Rows>
        )}
      </Listed>
      <Dialog title="New channel" size="lg" isOpen={isMaking} onClose={() => setIsMaking(false)}>
        <ChannelForm projectId={project.id} channel={null} onDone={() => setIsMaking(false)} />
      </Dialog>
      <Dialog title={doing === null ? '' : TITLES[doing.what]} size="lg" isOpen={channel !== undefined} onClose={close}>
        {channel !== undefined && doing !== null && <Done channel={channel} what={doing.what} onDone={close} />}
      </Dialog>
    </Stack>
  );
}

interface RowProps {
  readonly channel: Channel;
  readonly refusal: string | undefined;
  readonly onDo: (what: Doing) => void;
}

function ChannelRow({ channel, refusal, onDo }: RowProps) {
  const { organization, project } = useCurrentProject();
  const refetch = useRefetchChannels();
  const toggle = async (enabled: boolean) => {
    await api.updateDeliveryChannel({
      path: { channel_id: channel.id },
      query: { project_id: project.id },
      body: { enabled },
    });
    await refetch();
  };
  return (
    <Table.Tr>
      <Table.Td>
        <LinkAnchor
          to="/o/$organization/p/$project/delivery-history"
          params={{ organization: organization.slug, project: project.slug }}
          search={{ channel: channel.id }}
          fw={600}
          size="sm"
        >
          {channel.name}
        </LinkAnchor>
      </Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <Text size="sm">
          {channel.type === 'webhook'
            ? `${channel.configuration.method ?? 'POST'} ${channel.configuration.url}`
            : channel.configuration.to.join(', ')}
        </Text>
      </Table.Td>
      <Table.Td>{channel.protected_headers.map(({ name }) => name).join(', ') || '–'}</Table.Td>
      <Table.Td>
        <Switched label={`${channel.name} is on`} isOn={channel.enabled} refusal={refusal} act={toggle} />
      </Table.Td>
      <Table.Td ta="end">
        <Group gap={4} wrap="nowrap" justify="flex-end">
          <Act
            refusal={refusal}
            size="xs"
            variant="subtle"
            onAct={() => onDo('test')}
            aria-label={`Test ${channel.name}`}
          >
            Test
          </Act>
          <ActMenu
            label="More"
            refusal={refusal}
            position="bottom-end"
            size="xs"
            variant="subtle"
            aria-label={`More for ${channel.name}`}
          >
            <Menu.Item onClick={() => onDo('change')}>Change</Menu.Item>
            {channel.type === 'webhook' && (
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

interface DoneProps {
  readonly channel: Channel;
  readonly what: Doing;
  readonly onDone: () => void;
}

function Done({ channel, what, onDone }: DoneProps) {
  const refetch = useRefetchChannels();
  switch (what) {
    case 'change':
      return <ChannelForm projectId={channel.project_id} channel={channel} onDone={onDone} />;
    case 'headers':
      return <ProtectedHeaders channel={channel} />;
    case 'secret':
      return channel.type === 'webhook' ? <SigningSecret channel={channel} onDone={onDone} /> : null;
    case 'test':
      return <TestChannel channel={channel} />;
    case 'delete':
      return (
        <Confirmation
          verb="Delete"
          isDangerous
          act={async () => {
            await api.deleteDeliveryChannel({
              path: { channel_id: channel.id },
              query: { project_id: channel.project_id },
            });
            await refetch();
          }}
          onClose={onDone}
        >
          <b>{channel.name}</b> goes with its protected headers. A channel that was ever told something stays, for the
          evidence: switch it off instead.
        </Confirmation>
      );
  }
}

function TestChannel({ channel: { id: channel_id, project_id, name } }: { readonly channel: Channel }) {
  return (
    <TestForm send={() => api.testDeliveryChannel({ path: { channel_id }, query: { project_id } })}>
      A test goes to <b>{name}</b>, once. It stays in the history, so the channel can be switched off from then on, but
      not be deleted.
    </TestForm>
  );
}
