# A foreign slow server: prints its port, then answers GET /<seconds> after so many seconds.
import asyncio


async def serve(reader, writer):
    while line := await reader.readline():
        while (await reader.readline()).strip():
            pass
        await asyncio.sleep(float(line.split()[1].lstrip(b"/")))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\ndone\n")
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
