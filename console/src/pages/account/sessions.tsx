import { Badge, Button, Group, Stack, Table, Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { sessions, trustedDevices } from '../../api/account.js';
import { api } from '../../api/client.js';
import { Confirmation, Dialog } from '../../parts/dialog.js';
import { Failure } from '../../parts/failures.js';
import { Listed } from '../../parts/listed.js';
import { Moment } from '../../parts/moment.js';
import { PageHead } from '../../parts/page-head.js';
import { Cell, Rows } from '../../parts/rows.js';
import { Section } from '../../parts/section.js';
import { programOf } from '../../parts/words.js';

const METHODS: Readonly<Record<Schemas['SignInMethod'], string>> = {
  password: 'Password',
  oauth: 'Google or Apple',
  passkey: 'Passkey',
};

export function SessionsPage() {
  return (
    <Stack gap="lg">
      <PageHead
        title="Sessions"
        guide="accounts#passwords-addresses-and-sessions"
        about="Where you are signed in. End the sessions that you do not recognize."
      />
      <SessionsSection />
      <DevicesSection />
    </Stack>
  );
}

function SessionsSection() {
  const queries = useQueryClient();
  const query = useQuery(sessions);
  const [isAsking, setIsAsking] = useState(false);
  const readAnew = () => queries.invalidateQueries({ queryKey: ['account'] });
  const end = useMutation({
    mutationFn: (session_id: string) => api.revokeSession({ path: { session_id } }),
    onSettled: readAnew,
  });
  const endOthers = async () => {
    await api.revokeOtherSessions();
    await readAnew();
  };
  const others = (query.data ?? []).filter(({ current }) => !current).length;
  return (
    <Section
      title="Signed in"
      about="Sessions end 30 days after they were last used."
      {...(others > 0 && {
        acts: (
          <Button variant="light" color="red" onClick={() => setIsAsking(true)}>
            End all others
          </Button>
        ),
      })}
    >
      <Failure error={end.error} />
      <Listed query={query} empty={null}>
        {(items) => (
          <Rows label="Sessions" columns={['Program', 'By', 'Address', 'Since', 'Last used', null]} minWidth={720}>
            {items.map((each) => (
              <Table.Tr key={each.id}>
                <Cell column="Program" title={each.user_agent ?? undefined}>
                  {programOf(each.user_agent)}
                </Cell>
                <Cell column="By">{METHODS[each.method]}</Cell>
                <Cell column="Address" className="numbers">
                  {each.ip ?? '–'}
                </Cell>
                <Cell column="Since">
                  <Moment at={each.created_at} />
                </Cell>
                <Cell column="Last used">
                  <Moment at={each.last_used_at} />
                </Cell>
                <Table.Td ta="end">
                  {each.current ? (
                    <Badge variant="light">This one</Badge>
                  ) : (
                    <EndButton
                      name={programOf(each.user_agent)}
                      isPending={end.isPending && end.variables === each.id}
                      onEnd={() => end.mutate(each.id)}
                    />
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Rows>
        )}
      </Listed>
      <Dialog title="End all other sessions" isOpen={isAsking} onClose={() => setIsAsking(false)}>
        <Confirmation verb="End them" isDangerous act={endOthers} onClose={() => setIsAsking(false)}>
          Whoever is in them has to sign in again. This session stays.
        </Confirmation>
      </Dialog>
    </Section>
  );
}

function DevicesSection() {
  const queries = useQueryClient();
  const query = useQuery(trustedDevices);
  const end = useMutation({
    mutationFn: (device_id: string) => api.revokeTrustedDevice({ path: { device_id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['account'] }),
  });
  return (
    <Section title="Trusted devices" about="Signing in there asks for no second factor for 30 days.">
      <Failure error={end.error} />
      <Listed
        query={query}
        empty={
          <Text size="sm" c="dimmed">
            None. Programs that sign in with a second factor may ask to be trusted.
          </Text>
        }
      >
        {(items) => (
          <Rows label="Trusted devices" columns={['Program', 'Address', 'Last used', 'Until', null]}>
            {items.map((each) => (
              <Table.Tr key={each.id}>
                <Cell column="Program" title={each.user_agent ?? undefined}>
                  {programOf(each.user_agent)}
                </Cell>
                <Cell column="Address" className="numbers">
                  {each.ip ?? '–'}
                </Cell>
                <Cell column="Last used">
                  <Moment at={each.last_used_at} />
                </Cell>
                <Cell column="Until">
                  <Moment at={each.expires_at} />
                </Cell>
                <Table.Td ta="end">
                  <EndButton
                    name={programOf(each.user_agent)}
                    isPending={end.isPending && end.variables === each.id}
                    onEnd={() => end.mutate(each.id)}
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Rows>
        )}
      </Listed>
    </Section>
  );
}

interface EndProps {
  readonly name: string;
  readonly isPending: boolean;
  readonly onEnd: () => void;
}

function EndButton({ name, isPending, onEnd }: EndProps) {
  return (
    <Group justify="flex-end">
      <Button size="xs" variant="subtle" color="red" loading={isPending} aria-label={`End ${name}`} onClick={onEnd}>
        End
      </Button>
    </Group>
  );
}
