// Questions, from Node. In an unattended run the defaults are the answers when the time is over.
import { ask, confirm, withProgress } from '@fairlead/client/bridge';

const choices = ['staging', 'production'];
const environment = await ask('Which environment?', { choices, default: 'staging', timeoutMs: 60_000 });
if (await confirm(`Deploy to ${environment}?`, { default: false, timeoutMs: 60_000 })) {
  await withProgress('Deploying', async ({ report }) => {
    for (const percent of [20, 40, 60, 80, 100]) await report({ percent });
  });
  console.log(`deployed to ${environment}`);
} else {
  console.log('not deployed');
}
