import { useQueryClient } from '@tanstack/react-query';
import { companySignIn } from '../../../api/company-sign-in.js';
import { useCurrentProject } from '../../../shell/current-project.js';

/** Returns the settings of the current organization, and a function that refetches them after an action. */
export function useCompanySignIn() {
  const { organization } = useCurrentProject();
  const queries = useQueryClient();
  const settings = companySignIn(organization.id);
  return { ...settings, readAnew: () => queries.invalidateQueries({ queryKey: settings.key }) };
}
