"""Headless Chromium over the DevTools protocol; every wait ends."""
import base64, json, os, subprocess, tempfile, time, urllib.request
import websocket

# On a busy machine a report takes its time.
LIMIT = 60


class Browser:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix='skan-chromium-', ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            ['timeout', '--kill-after=5', '1400', 'chromium', '--headless=new', '--no-sandbox', '--disable-gpu',
             '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking', '--hide-scrollbars',
             '--remote-debugging-port=0', '--remote-allow-origins=*', f'--user-data-dir={self.folder.name}',
             'about:blank'],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        file = os.path.join(self.folder.name, 'DevToolsActivePort')
        end = time.monotonic() + 60
        while not (os.path.exists(file) and os.path.getsize(file)):
            if self.process.poll() is not None or time.monotonic() > end:
                raise SystemExit('chromium does not start')
            time.sleep(0.1)
        port = open(file).read().split()[0]
        pages = json.load(urllib.request.urlopen(f'http://127.0.0.1:{port}/json', timeout=LIMIT))
        page = next(page for page in pages if page['type'] == 'page')
        self.socket = websocket.create_connection(page['webSocketDebuggerUrl'], timeout=LIMIT)
        self.number, self.events = 0, []
        for domain in ('Page', 'Runtime', 'Log', 'Network', 'DOM', 'Accessibility'):
            self.call(domain + '.enable')

    def close(self):
        self.process.terminate()
        self.process.wait(10)
        self.folder.cleanup()

    def call(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({'id': self.number, 'method': method, 'params': parameters}))
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            message = json.loads(self.socket.recv())
            if message.get('id') == self.number:
                if 'error' in message:
                    raise RuntimeError(f'{method}: {message["error"]}')
                return message['result']
            if 'method' in message:
                self.events.append(message)
        raise TimeoutError(method)

    def wait(self, event):
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            if any(found['method'] == event for found in self.events):
                return
            self.events.append(json.loads(self.socket.recv()))
        raise TimeoutError(event)

    def show(self, width, scheme):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
        self.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme}])

    def open(self, address):
        self.events = []
        self.call('Page.navigate', url=address)
        self.wait('Page.loadEventFired')

    def evaluate(self, expression):
        result = self.call('Runtime.evaluate', expression=expression, returnByValue=True)
        if 'exceptionDetails' in result:
            raise RuntimeError(result['exceptionDetails'])
        return result['result'].get('value')

    def press(self, key, shift=False):
        for kind in ('keyDown', 'keyUp'):
            text = {'text': '\r'} if key == 'Enter' and kind == 'keyDown' else {}
            self.call('Input.dispatchKeyEvent', type=kind, key=key, code=key, modifiers=8 if shift else 0,
                      windowsVirtualKeyCode={'Tab': 9, 'Enter': 13}[key], **text)

    def statuses(self):
        """The status of every answer since the page was opened, by address."""
        return {event['params']['response']['url']: event['params']['response']['status']
                for event in self.events if event['method'] == 'Network.responseReceived'}

    def names(self):
        """The roles of what can be used, with the names that a screen reader says."""
        usable = {'link', 'button', 'textbox', 'combobox', 'Date', 'DisclosureTriangle', 'navigation', 'region', 'table',
                  'image', 'columnheader', 'searchbox'}
        nodes = self.call('Accessibility.getFullAXTree')['nodes']
        return [(node['role']['value'], node.get('name', {}).get('value', '').strip())
                for node in nodes if not node.get('ignored') and node.get('role', {}).get('value') in usable]

    def picture(self, file):
        data = self.call('Page.captureScreenshot', format='png', captureBeyondViewport=True)['data']
        with open(file, 'wb') as out:
            out.write(base64.b64decode(data))

    def complaints(self, origin):
        """What the console says, and what was loaded from elsewhere."""
        found = []
        for event in self.events:
            parameters = event.get('params', {})
            if event['method'] == 'Log.entryAdded' and parameters['entry']['level'] in ('error', 'warning'):
                found.append(parameters['entry']['text'])
            elif event['method'] in ('Runtime.consoleAPICalled', 'Runtime.exceptionThrown'):
                found.append(json.dumps(parameters)[:300])
            elif event['method'] == 'Network.requestWillBeSent':
                address = parameters['request']['url']
                if not address.startswith((origin, 'data:', 'about:')):
                    found.append('loads ' + address)
        return found
