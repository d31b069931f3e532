# A server that rondo has no part in: answers GET /<seconds> after that many seconds. Prints its port.
import asyncio


async def serve(reader, writer):
    while line := await reader.readline():
        while await reader.readline() not in (b"\r\n", b""):
            pass
        await asyncio.sleep(float(line.split()[1][1:]))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nslow\n")
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
