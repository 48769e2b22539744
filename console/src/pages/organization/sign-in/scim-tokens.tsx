import { Stack, Table, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ScimToken } from '../../../api/company-sign-in.js';
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
import { ShownOnce } from '../../../parts/shown-once.js';
import { useCompanySignIn } from './use-company-sign-in.js';

interface Props {
  /** Why the caller may not change the tokens; undefined when they may. */
  readonly refusal: string | undefined;
}

/** Shows the tokens with which a provider keeps accounts by SCIM. */
export function ScimTokensSection({ refusal }: Props) {
  const { scimTokens } = useCompanySignIn();
  const query = useQuery(scimTokens);
  const [isMaking, setIsMaking] = useState(false);
  return (
    <Section
      title="Provisioning"
      about="By SCIM the provider creates accounts of your domains here, and ends their access when somebody leaves the company."
      acts={
        <Act refusal={refusal} leftSection={<Icon name="plus" size={16} />} onAct={() => setIsMaking(true)}>
          New token
        </Act>
      }
    >
      <Stack gap={4}>
        <Text size="sm" fw={500}>
          Address for the provider
        </Text>
        <Copied name="the address of SCIM" text={`${location.origin}/scim/v2`} />
      </Stack>
      <Listed query={query} empty={<Text size="sm">No token yet. The provider needs one.</Text>}>
        {(tokens) => (
          <Rows label="Tokens" columns={['Name', 'Made', 'Last used', 'Until', null]} minWidth={640}>
            {tokens.map((each) => (
              <TokenRow key={each.id} token={each} refusal={refusal} />
            ))}
          </Rows>
        )}
      </Listed>
      <Dialog title="New token" guide="scim" isOpen={isMaking} onClose={() => setIsMaking(false)}>
        <MakeToken onDone={() => setIsMaking(false)} />
      </Dialog>
    </Section>
  );
}

function TokenRow({
  token: { id, name, created_at, last_used_at, expires_at },
  refusal,
}: Props & { token: ScimToken }) {
  const { revokeScimToken, readAnew } = useCompanySignIn();
  const revoke = async () => {
    await revokeScimToken(id);
    await readAnew();
  };
  return (
    <Table.Tr>
      <Cell column="Name">{name}</Cell>
      <Cell column="Made">
        <Moment at={created_at} />
      </Cell>
      <Cell column="Last used">{last_used_at === null ? 'Never' : <Moment at={last_used_at} />}</Cell>
      <Cell column="Until">{expires_at === null ? 'No end' : <Moment at={expires_at} />}</Cell>
      <Table.Td ta="end">
        <Removal verb="Revoke" refusal={refusal} name={name} title="Revoke the token" act={revoke}>
          The provider is refused at once with <b>{name}</b>. Accounts and memberships stay as they are.
        </Removal>
      </Table.Td>
    </Table.Tr>
  );
}

/** Asks for the name of a token, and shows the created token once. */
function MakeToken({ onDone }: { readonly onDone: () => void }) {
  const { createScimToken, readAnew } = useCompanySignIn();
  const [name, setName] = useState('');
  const [made, setMade] = useState<string | null>(null);
  if (made !== null) {
    return (
      <ShownOnce
        name="the token"
        text={made}
        advice="Enter it at the provider, which sends it as a bearer token."
        onKept={onDone}
      />
    );
  }
  const act = async () => {
    setMade((await createScimToken(name.trim())).token);
    await readAnew();
  };
  return (
    <ActForm verb="Make the token" act={act}>
      <TextInput
        label="Name"
        description="The provider that will use it"
        placeholder="Okta"
        required
        withAsterisk={false}
        data-autofocus
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </ActForm>
  );
}
