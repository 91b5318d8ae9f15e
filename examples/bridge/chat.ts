// Asks the editor's own language model. Node 22.18 or newer, with @fairlead/client.
import { chat, chatStream } from '@fairlead/client/bridge';

const { response, conversationId } = await chat('What is a fairlead on a boat? One sentence.');
console.log(response);
for await (const piece of chatStream('And why is it called so?', { conversationId }))
  process.stdout.write(piece);
console.log();
