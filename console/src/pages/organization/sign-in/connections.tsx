import { Alert, Badge, Group, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SsoConnection } from '../../../api/company-sign-in.js';
import { Act } from '../../../parts/act.js';
import { Copied } from '../../../parts/copied.js';
import { Dialog } from '../../../parts/dialog.js';
import { Fact, Facts } from '../../../parts/facts.js';
import { Failure } from '../../../parts/failures.js';
import { Icon } from '../../../parts/icons.js';
import { Listed } from '../../../parts/listed.js';
import { Moment } from '../../../parts/moment.js';
import { Removal } from '../../../parts/removal.js';
import { Cell, Rows } from '../../../parts/rows.js';
import { Section } from '../../../parts/section.js';
import { ConnectionForm } from './connection-form.js';
import { useCompanySignIn } from './use-company-sign-in.js';

interface Props {
  /** Why the caller may not change the settings; undefined when they may. */
  readonly refusal: string | undefined;
}

const NAMES = { oidc: 'OpenID Connect', saml: 'SAML' } as const;

/** The dialog that is open: the form of a new connection, or that of one connection. */
type Open =
  { readonly of: 'new' } | { readonly of: 'settings' | 'provider' | 'refusals'; readonly connection: SsoConnection };

const TITLES = {
  new: 'Add a provider',
  settings: 'Edit the provider',
  provider: 'Set up the provider',
  refusals: 'Refused sign-ins',
} as const;

/** Shows the identity providers of an organization. */
export function ConnectionsSection({ refusal }: Props) {
  const { connections } = useCompanySignIn();
  const query = useQuery(connections);
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  return (
    <Section
      title="Identity providers"
      about="The sign-in page offers them to everybody who types an address of a verified domain."
      acts={
        <Act refusal={refusal} leftSection={<Icon name="plus" size={16} />} onAct={() => setOpen({ of: 'new' })}>
          Add a provider
        </Act>
      }
    >
      <Listed query={query} empty={<Text size="sm">No provider yet.</Text>}>
        {(items) => (
          <Rows label="Identity providers" columns={['Name', 'Protocol', 'State', null]} minWidth={720}>
            {items.map((each) => (
              <ConnectionRow
                key={each.id}
                connection={each}
                refusal={refusal}
                onOpen={(of) => setOpen({ of, connection: each })}
              />
            ))}
          </Rows>
        )}
      </Listed>
      <Dialog
        title={open === null ? '' : TITLES[open.of]}
        guide="company-sign-in#providers"
        size="lg"
        isOpen={open !== null}
        onClose={close}
      >
        {open?.of === 'new' && (
          <ConnectionForm connection={null} onSaved={(connection) => setOpen({ of: 'provider', connection })} />
        )}
        {open?.of === 'settings' && <ConnectionForm connection={open.connection} onSaved={close} />}
        {open?.of === 'provider' && <ForProvider connection={open.connection} />}
        {open?.of === 'refusals' && <Refusals connection={open.connection} />}
      </Dialog>
    </Section>
  );
}

interface RowProps extends Props {
  readonly connection: SsoConnection;
  readonly onOpen: (of: 'settings' | 'provider' | 'refusals') => void;
}

function ConnectionRow({ connection: { id, label, protocol, is_enabled }, refusal, onOpen }: RowProps) {
  const { changeConnection, deleteConnection, readAnew } = useCompanySignIn();
  const toggle = useMutation({
    mutationFn: () => changeConnection(id, { is_enabled: !is_enabled }),
    onSettled: readAnew,
  });
  const remove = async () => {
    await deleteConnection(id);
    await readAnew();
  };
  const small = { size: 'xs', variant: 'subtle' } as const;
  return (
    <Table.Tr>
      <Cell column="Name" style={{ overflowWrap: 'anywhere' }}>
        {label}
      </Cell>
      <Cell column="Protocol">{NAMES[protocol]}</Cell>
      <Cell column="State">
        <Badge variant="light" className="state-badge" color={is_enabled ? 'sea' : 'gray'}>
          {is_enabled ? 'on' : 'off'}
        </Badge>
      </Cell>
      <Table.Td>
        <Stack gap={4} align="flex-end">
          <Group gap={4} justify="flex-end">
            <Act {...small} refusal={undefined} aria-label={`Set up ${label}`} onAct={() => onOpen('provider')}>
              Set up
            </Act>
            <Act {...small} refusal={undefined} aria-label={`Refusals of ${label}`} onAct={() => onOpen('refusals')}>
              Refusals
            </Act>
            <Act {...small} refusal={refusal} aria-label={`Edit ${label}`} onAct={() => onOpen('settings')}>
              Edit
            </Act>
            <Act
              {...small}
              refusal={refusal}
              loading={toggle.isPending}
              aria-label={`Switch ${is_enabled ? 'off' : 'on'} ${label}`}
              onAct={() => toggle.mutate()}
            >
              {is_enabled ? 'Switch off' : 'Switch on'}
            </Act>
            <Removal verb="Delete" refusal={refusal} name={label} title="Delete the provider" act={remove}>
              Nobody signs in by <b>{label}</b> any more. Accounts, memberships and open sessions stay.
            </Removal>
          </Group>
          <Failure error={toggle.error} />
        </Stack>
      </Table.Td>
    </Table.Tr>
  );
}

interface ConnectionProps {
  readonly connection: SsoConnection;
}

/** Shows what the administrator of the provider enters there. */
function ForProvider({ connection: { service, start_url, certificates } }: ConnectionProps) {
  const entries = [
    ['Redirect URI', service.redirect_uri],
    ['Back-channel logout URI (optional)', service.backchannel_logout_uri],
    ['ACS URL', service.acs_url],
    ['Entity ID', service.entity_id],
    ['Metadata URL', service.metadata_url],
    ['Address that begins a sign-in, for portals', start_url],
  ] as const;
  return (
    <Stack>
      <Alert variant="light" title="Enter this at your provider">
        The guide has the settings of five providers. Somebody of a verified domain can sign in as soon as both sides
        are set up.
      </Alert>
      {entries.map(
        ([name, text]) =>
          text !== null && (
            <Stack key={name} gap={4}>
              <Text size="sm" fw={500}>
                {name}
              </Text>
              <Copied name={`the ${name}`} text={text} />
            </Stack>
          ),
      )}
      {certificates.length > 0 && (
        <Facts>
          {certificates.map(({ fingerprint, valid_until }) => (
            <Fact key={fingerprint} name="Certificate">
              <Text ff="monospace" size="xs">
                {fingerprint}
              </Text>
              <Text size="xs" c="dimmed">
                Valid until <Moment at={valid_until} />
              </Text>
            </Fact>
          ))}
        </Facts>
      )}
    </Stack>
  );
}

/** Shows why sign-ins were refused. The people themselves see a general sentence. */
function Refusals({ connection }: ConnectionProps) {
  const { refusals } = useCompanySignIn();
  const query = useQuery(refusals(connection.id));
  return (
    <Listed query={query} empty={<Text size="sm">No sign-in was refused in the last 30 days.</Text>}>
      {(items) => (
        <Rows label="Refused sign-ins" columns={['When', 'Reason', 'From']} minWidth={480}>
          {items.map(({ at, reason, ip }, index) => (
            <Table.Tr key={`${at} ${index}`}>
              <Cell column="When">
                <Moment at={at} />
              </Cell>
              <Cell column="Reason" style={{ overflowWrap: 'anywhere' }}>
                {reason}
              </Cell>
              <Cell column="From">{ip ?? '–'}</Cell>
            </Table.Tr>
          ))}
        </Rows>
      )}
    </Listed>
  );
}
