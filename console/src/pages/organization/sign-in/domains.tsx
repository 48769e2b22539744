import { Badge, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SsoDomain } from '../../../api/company-sign-in.js';
import { Act } from '../../../parts/act.js';
import { ActForm } from '../../../parts/act-form.js';
import { Copied } from '../../../parts/copied.js';
import { Dialog } from '../../../parts/dialog.js';
import { Icon } from '../../../parts/icons.js';
import { Listed } from '../../../parts/listed.js';
import { Moment } from '../../../parts/moment.js';
import { Removal } from '../../../parts/removal.js';
import { Cell, Rows } from '../../../parts/rows.js';
import { Section } from '../../../parts/section.js';
import { useCompanySignIn } from './use-company-sign-in.js';

interface Props {
  /** Why the caller may not change the settings; undefined when they may. */
  readonly refusal: string | undefined;
}

const GUIDE = 'company-sign-in#domains';

export function DomainsSection({ refusal }: Props) {
  const { domains } = useCompanySignIn();
  const query = useQuery(domains);
  const [isAdding, setIsAdding] = useState(false);
  const [proven, setProven] = useState<SsoDomain | null>(null);
  return (
    <Section
      title="Domains"
      about="Providers may only sign in people whose address has a verified domain. A domain can be verified for one organization only."
      acts={
        <Act refusal={refusal} leftSection={<Icon name="plus" size={16} />} onAct={() => setIsAdding(true)}>
          Add a domain
        </Act>
      }
    >
      <Listed query={query} empty={<Text size="sm">No domain yet. Begin here.</Text>}>
        {(items) => (
          <Rows label="Domains" columns={['Domain', 'State', null]} minWidth={520}>
            {items.map((each) => (
              <DomainRow key={each.id} domain={each} refusal={refusal} onProve={() => setProven(each)} />
            ))}
          </Rows>
        )}
      </Listed>
      <Dialog title="Add a domain" guide={GUIDE} isOpen={isAdding} onClose={() => setIsAdding(false)}>
        <AddDomain
          onAdded={(added) => {
            setIsAdding(false);
            setProven(added);
          }}
        />
      </Dialog>
      <Dialog
        title="Verify the domain"
        guide={GUIDE}
        size="lg"
        isOpen={proven !== null}
        onClose={() => setProven(null)}
      >
        {proven !== null && <VerifyDomain domain={proven} onDone={() => setProven(null)} />}
      </Dialog>
    </Section>
  );
}

interface RowProps extends Props {
  readonly domain: SsoDomain;
  readonly onProve: () => void;
}

function DomainRow({ domain: { id, domain, verified_at, verified_by }, refusal, onProve }: RowProps) {
  const { removeDomain, readAnew } = useCompanySignIn();
  const remove = async () => {
    await removeDomain(id);
    await readAnew();
  };
  return (
    <Table.Tr>
      <Cell column="Domain" style={{ overflowWrap: 'anywhere' }}>
        {domain}
      </Cell>
      <Cell column="State">
        <Badge variant="light" className="state-badge" color={verified_at === null ? 'orange' : 'sea'}>
          {verified_at === null ? 'not verified' : 'verified'}
        </Badge>
        {verified_at !== null && (
          <Text size="xs" c="dimmed">
            {verified_by === 'dns' ? 'By DNS' : 'By the platform'}, <Moment at={verified_at} />
          </Text>
        )}
      </Cell>
      <Table.Td>
        <Group gap={4} justify="flex-end" wrap="nowrap">
          {verified_at === null && (
            <Act refusal={refusal} size="xs" variant="subtle" aria-label={`Verify ${domain}`} onAct={onProve}>
              Verify
            </Act>
          )}
          <Removal verb="Remove" refusal={refusal} name={domain} title="Remove the domain" act={remove}>
            Nobody with an address of <b>{domain}</b> signs in by a provider any more. Accounts and memberships stay.
          </Removal>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

function AddDomain({ onAdded }: { readonly onAdded: (domain: SsoDomain) => void }) {
  const { addDomain, readAnew } = useCompanySignIn();
  const [domain, setDomain] = useState('');
  const add = async () => {
    const added = await addDomain(domain.trim());
    await readAnew();
    onAdded(added);
  };
  return (
    <ActForm verb="Add the domain" act={add}>
      <TextInput
        label="Domain"
        description="The part of your addresses after the @"
        placeholder="example.com"
        required
        withAsterisk={false}
        data-autofocus
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={253}
        value={domain}
        onChange={(event) => setDomain(event.currentTarget.value)}
      />
    </ActForm>
  );
}

interface VerifyProps {
  readonly domain: SsoDomain;
  readonly onDone: () => void;
}

function VerifyDomain({ domain: { id, domain, record_name, record_value }, onDone }: VerifyProps) {
  const { verifyDomain, readAnew } = useCompanySignIn();
  const verify = async () => {
    await verifyDomain(id);
    await readAnew();
  };
  return (
    <ActForm verb="Verify now" act={verify} onDone={onDone}>
      <Text size="sm">
        Add this TXT record to the DNS of <b>{domain}</b>. DNS can take minutes until everybody sees it. You can close
        this window and come back.
      </Text>
      <Stack gap={4}>
        <Text size="sm" fw={500}>
          Name
        </Text>
        <Copied name="the name of the record" text={record_name} />
      </Stack>
      <Stack gap={4}>
        <Text size="sm" fw={500}>
          Value
        </Text>
        <Copied name="the value of the record" text={record_value} />
      </Stack>
    </ActForm>
  );
}
