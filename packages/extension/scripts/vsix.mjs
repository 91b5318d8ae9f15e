import { createWriteStream, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';
import { packageDirectory } from './build.mjs';

/** The same contents make the same file, byte for byte. */
const fileTime = new Date('2000-01-01T00:00:00Z');

/** A VSIX: a zip of the extension's files with two descriptions beside them. */
export async function writeVsix(path, files, target) {
  const zip = new yazl.ZipFile();
  const add = (name, contents, mode = 0o100644) => zip.addBuffer(contents, name, { mtime: fileTime, mode });
  add('extension.vsixmanifest', Buffer.from(vsixManifest(target)));
  add('[Content_Types].xml', Buffer.from(contentTypes(files)));
  for (const { name, contents, isProgram } of files)
    add(`extension/${name}`, contents, isProgram ? 0o100755 : 0o100644);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}

function vsixManifest(target) {
  const manifest = JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8'));
  const { name, version, publisher, displayName, description, engines, extensionKind, categories } = manifest;
  const platform = target === undefined ? '' : ` TargetPlatform="${target}"`;
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011" xmlns:d="http://schemas.microsoft.com/developer/vsx-schema-design/2011">
  <Metadata>
    <Identity Language="en-US" Id="${name}" Version="${version}" Publisher="${publisher}"${platform} />
    <DisplayName>${escapeXml(displayName)}</DisplayName>
    <Description xml:space="preserve">${escapeXml(description)}</Description>
    <Categories>${categories.map(escapeXml).join(',')}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${escapeXml(engines.vscode)}" />
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="${extensionKind.join(',')}" />
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code" />
  </Installation>
  <Dependencies />
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true" />
  </Assets>
</PackageManifest>
`;
}

function contentTypes(files) {
  const extensions = new Set(['.vsixmanifest', ...files.map(({ name }) => extname(name)).filter(Boolean)]);
  const lines = [...extensions].map((extension) => {
    return `  <Default Extension="${extension}" ContentType="${typeByExtension[extension] ?? 'application/octet-stream'}" />`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
${lines.join('\n')}
</Types>
`;
}

const typeByExtension = {
  '.json': 'application/json',
  '.cjs': 'application/javascript',
  '.js': 'application/javascript',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.vsixmanifest': 'text/xml',
};

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
