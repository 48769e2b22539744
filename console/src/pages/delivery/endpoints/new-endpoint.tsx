import { Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { CHANNEL_MANAGERS } from '../../../api/delivery.js';
import { MEMBERS, OPERATORS, useRefusal } from '../../../api/roles.js';
import { ActMenu } from '../../../parts/act-menu.js';
import { Dialog } from '../../../parts/dialog.js';
import { Icon } from '../../../parts/icons.js';
import { useOpenForm } from '../../../parts/open-form.js';
import { useCurrentProject } from '../../../shell/current-project.js';
import { ChannelForm } from './channel-form.js';
import { DestinationForm } from './destination-form.js';

const KINDS = {
  alert: {
    of: 'destination',
    type: 'webhook',
    label: 'Alert webhook',
    about: 'For alerts. Rules that name no endpoint notify it, too',
  },
  slack: { of: 'destination', type: 'slack', label: 'Slack', about: 'For alerts, by an incoming webhook of Slack' },
  webhook: {
    of: 'channel',
    type: 'webhook',
    label: 'Webhook',
    about: 'With a retry policy, protected headers and dead letters. Attempts are kept as evidence',
  },
  email: { of: 'channel', type: 'email', label: 'E-mail', about: 'Up to 20 addresses, with a retry policy' },
} as const;
type Kind = keyof typeof KINDS;

/** Chooses the type of a new endpoint, and shows its form. */
export function NewEndpoint() {
  const { project } = useCurrentProject();
  const [isOpen, setIsOpen] = useOpenForm('endpoint');
  const [kind, setKind] = useState<Kind | null>(null);
  const refusal = useRefusal(project.id, MEMBERS);
  const refusals = {
    destination: useRefusal(project.id, OPERATORS),
    channel: useRefusal(project.id, CHANNEL_MANAGERS),
  };
  const chosen = kind === null ? null : KINDS[kind];
  const close = () => setKind(null);
  return (
    <>
      <ActMenu
        label="New endpoint"
        refusal={refusal}
        opened={isOpen && refusal === undefined}
        onChange={setIsOpen}
        position="bottom-end"
        leftSection={<Icon name="plus" size={16} />}
      >
        {Object.entries(KINDS).map(([key, { of, label, about }]) => (
          <Menu.Item key={key} disabled={refusals[of] !== undefined} onClick={() => setKind(key as Kind)}>
            {label}
            <Text size="xs" maw={280}>
              {refusals[of] ?? about}
            </Text>
          </Menu.Item>
        ))}
      </ActMenu>
      <Dialog
        title={chosen === null ? '' : `New endpoint: ${chosen.label}`}
        size="lg"
        guide="deliveries#in-the-console"
        isOpen={chosen !== null}
        onClose={close}
      >
        {chosen?.of === 'destination' && (
          <DestinationForm projectId={project.id} destination={null} newType={chosen.type} onDone={close} />
        )}
        {chosen?.of === 'channel' && (
          <ChannelForm projectId={project.id} channel={null} newType={chosen.type} onDone={close} />
        )}
      </Dialog>
    </>
  );
}
