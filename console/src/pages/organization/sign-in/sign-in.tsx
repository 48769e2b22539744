import { Stack } from '@mantine/core';
import { useOwnerRefusal } from '../../../api/company-sign-in.js';
import { useOrganizationRefusal } from '../../../api/organization.js';
import { PageHead } from '../../../parts/page-head.js';
import { NotOffered } from '../../../parts/section.js';
import { useCurrentProject } from '../../../shell/current-project.js';
import { ConnectionsSection } from './connections.js';
import { DomainsSection } from './domains.js';
import { RolesSection } from './roles.js';
import { ScimTokensSection } from './scim-tokens.js';

/** Shows how people of a company sign in to an organization by the company's own identity provider. */
export function SignInPage() {
  const { organization } = useCurrentProject();
  const refusal = useOrganizationRefusal(organization.id);
  const ownerRefusal = useOwnerRefusal(organization.owner_id);
  return (
    <Stack gap="lg">
      <PageHead
        title="Sign-in"
        guide="company-sign-in"
        about={`People of your company sign in to ${organization.name} by its own identity provider.`}
      />
      {refusal === undefined ? (
        <>
          <DomainsSection refusal={ownerRefusal} />
          <ConnectionsSection refusal={ownerRefusal} />
          <RolesSection refusal={ownerRefusal} />
          <ScimTokensSection refusal={ownerRefusal} />
        </>
      ) : (
        <NotOffered why={`${refusal} to see how people sign in`} />
      )}
    </Stack>
  );
}
